// Addresses of pages and assets, and the asset files. Nothing is loaded from another host.

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Elysia, NotFoundError } from "elysia";
import { urlOf } from "../platform/address.ts";
import { PROJECT_ROOT } from "../platform/config/config.ts";
import { type Bytes, compressedOnce, type Encoding, encodingFor } from "../platform/http/compression.ts";
import { NO_STORE } from "../platform/http/conditions.ts";
import { type Colours, type Scheme, SHEET_PATH, stylesOf } from "./colours.ts";

export * as colours from "./colours.ts";

/** A file and its media type. TypeScript is bundled with its imports. */
export interface AssetFile {
  url: string;
  type: string;
}

export const CSS = "text/css; charset=utf-8";
export const JAVASCRIPT = "text/javascript; charset=utf-8";

export const TIME_SCRIPT: AssetFile = { url: import.meta.resolve("./assets/time.ts"), type: JAVASCRIPT };

export const SHARED_STYLES: AssetFile = { url: import.meta.resolve("./assets/gatehouse.css"), type: CSS };

export const DARK_STYLES: AssetFile = { url: import.meta.resolve("./assets/dark.css"), type: CSS };

const ASSETS = {
  "pico.css": { url: import.meta.resolve("@picocss/pico/css/pico.min.css"), type: CSS },
  "gatehouse.css": SHARED_STYLES,
  "dark.css": DARK_STYLES,
  "card.css": { url: import.meta.resolve("./assets/card.css"), type: CSS },
  "passkey.js": { url: import.meta.resolve("./assets/passkey.ts"), type: JAVASCRIPT },
  "submit.js": { url: import.meta.resolve("./assets/submit.ts"), type: JAVASCRIPT },
  "time.js": TIME_SCRIPT,
} as const;

const HASH_LENGTH = 16;
const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };

export interface SiteOf<Name extends string> {
  /** The origin of PUBLIC_URL. */
  origin: string;
  href(path: string): string;
  asset(name: Name): string;
  /** Serves the assets. A changed file has a new name, so browsers cache assets permanently. */
  controller(): Elysia;
}
/** The face of an organisation's pages. It has no markup, styles or scripts of its own. */
export interface Face {
  name: string;
  /** The name that the installation's operator gave the tenant; unique. */
  tenantName: string;
  welcome: string | null;
  /** Addresses of images, such as `data:`; null: none. */
  logo: string | null;
  darkLogo: string | null;
  favicon: string | null;
  light: Colours;
  dark: Colours;
  links: { text: "help" | "privacy" | "terms"; href: string }[];
  /** Of a preview; undefined: the reader's. */
  scheme?: Scheme;
}

export interface Site extends SiteOf<keyof typeof ASSETS> {
  /** Answers a request, so that its pages wear one face. */
  during<T>(answer: () => Promise<T>): Promise<T>;
  /** Its pages wear the face of this tenant. Only the first call counts, so call it as soon as the tenant is known. */
  wear(tenantId: string): void;
  /** Undefined: the installation's. */
  face(): Promise<Face | undefined>;
}

export function createSite(
  publicUrl: string,
  findFace: (tenantId: string) => Promise<Face | undefined> = async () => undefined,
): Site {
  const site = createSiteOf(publicUrl, ASSETS);
  const requests = new AsyncLocalStorage<{ tenantId?: string }>();
  return {
    ...site,
    during: (answer) => requests.run({}, answer),
    wear(tenantId) {
      const request = requests.getStore();
      if (request) request.tenantId ??= tenantId;
    },
    async face() {
      const tenantId = requests.getStore()?.tenantId;
      return tenantId === undefined ? undefined : findFace(tenantId);
    },
    controller() {
      const app = site.controller();
      app.get(SHEET_PATH, ({ params }) => {
        const css = stylesOf(params.scheme, params.colours);
        if (!css) throw new NotFoundError();
        return new Response(css, { headers: { "content-type": CSS, ...FOREVER } });
      });
      return app;
    },
  };
}

/** @param assets by the names that pages use, such as `pico.css` */
export function createSiteOf<Name extends string>(publicUrl: string, assets: Record<Name, AssetFile>): SiteOf<Name> {
  const { origin, pathname } = urlOf(publicUrl);
  const base = pathname.replace(/\/$/, "");
  const files = new Map<Name, { path: string; type: string; in(encoding?: Encoding): Promise<Bytes> }>();
  for (const [name, { url, type }] of Object.entries<AssetFile>(assets)) {
    const { madeOf, bytes } = url.endsWith(".ts") ? bundle(fileURLToPath(url)) : plainFile(fileURLToPath(url));
    const hash = createHash("sha256").update(madeOf).digest("hex").slice(0, HASH_LENGTH);
    const [stem, ending] = name.split(".");
    files.set(name as Name, { path: `/assets/${stem}-${hash}.${ending}`, type, in: compressedOnce(bytes) });
  }
  return {
    origin,
    href: (path) => base + path,
    asset: (name) => base + files.get(name)!.path,
    controller() {
      const app = new Elysia();
      for (const { path, type, in: bytesIn } of files.values()) {
        app.get(path, async ({ request }) => {
          const encoding = encodingFor(request, ["br", "gzip"]);
          const headers = {
            "content-type": type,
            ...FOREVER,
            vary: "Accept-Encoding",
            ...(encoding && { "content-encoding": encoding }),
          };
          return new Response(await bytesIn(encoding), { headers });
        });
      }
      return app;
    },
  };
}

interface Source {
  madeOf: Bytes;
  bytes(): Promise<Bytes>;
}

function plainFile(path: string): Source {
  const bytes = readFileSync(path);
  return { madeOf: bytes, bytes: async () => bytes };
}

/** Bundled on the first request, not at every start. Local imports come only from the same folder. */
function bundle(path: string): Source {
  const beside = readdirSync(dirname(path)).sort();
  const paths = [join(PROJECT_ROOT, "bun.lock"), ...beside.map((name) => join(dirname(path), name))];
  return {
    madeOf: Buffer.concat(paths.map((one) => readFileSync(one))),
    async bytes() {
      const { outputs } = await Bun.build({ entrypoints: [path], target: "browser", format: "iife", minify: true });
      return new Uint8Array(await outputs[0]!.arrayBuffer());
    },
  };
}

export interface PageOptions {
  status?: number;
  headers?: Record<string, string>;
  cookies?: string[];
  /**
   * Whether a form of the page ends at another site or an app. Browsers apply form-action to all later redirects, and
   * the application may redirect to any scheme, so such a page has none. Its forms have CSRF tokens.
   */
  endsElsewhere?: boolean;
  /** Whether scripts may send requests to this origin. */
  connects?: boolean;
  /** The nonce of the only script that may insert styles. */
  styleNonce?: string;
  /** The page shows a secret, so it is not compressed (platform/http/compression.ts). */
  isSecret?: boolean;
}

export const pageText = async (page: JSX.Element) => `<!doctype html>${await page}`;

/**
 * A page response: not cached, not framed, no referrer, only our own scripts, no inline styles. With Referrer-Policy
 * no-referrer a form's Origin header is "null", so forms rely on their CSRF token.
 */
export async function pageResponse(page: JSX.Element, options: PageOptions = {}): Promise<Response> {
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      `style-src 'self'${options.styleNonce ? ` 'nonce-${options.styleNonce}'` : ""}`,
      "script-src 'self'",
      "img-src 'self' data:",
      ...(options.connects ? ["connect-src 'self'"] : []),
      ...(options.endsElsewhere ? [] : ["form-action 'self'"]),
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...options.headers,
    ...NO_STORE,
  });
  if (options.isSecret) headers.set("cache-control", "no-store, no-transform");
  for (const cookie of options.cookies ?? []) headers.append("set-cookie", cookie);
  return new Response(await pageText(page), { status: options.status ?? 200, headers });
}
