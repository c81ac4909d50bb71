// Where the pages and what they need stand, and the files themselves: nothing comes from another host.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Elysia } from "elysia";
import { NO_STORE } from "../http/conditions.ts";

/** A file and its media type. */
export interface AssetFile {
  url: string;
  type: string;
}

export const CSS = "text/css; charset=utf-8";
export const JAVASCRIPT = "text/javascript; charset=utf-8";

/** Puts the times of a page into its reader's own zone. */
export const TIME_SCRIPT: AssetFile = { url: import.meta.resolve("./assets/time.js"), type: JAVASCRIPT };

const ASSETS = {
  "pico.css": { url: import.meta.resolve("@picocss/pico/css/pico.min.css"), type: CSS },
  "gatehouse.css": { url: import.meta.resolve("./assets/gatehouse.css"), type: CSS },
  "submit.js": { url: import.meta.resolve("./assets/submit.js"), type: JAVASCRIPT },
  "time.js": TIME_SCRIPT,
} as const;

const HASH_LENGTH = 16;

export interface SiteOf<Name extends string> {
  /** A path of ours as a browser has to ask for it: PUBLIC_URL may have a path of its own. */
  href(path: string): string;
  asset(name: Name): string;
  /** Serves the assets; a changed file has another name, so browsers keep them for good. */
  controller(): Elysia;
}
export type Site = SiteOf<keyof typeof ASSETS>;

export function createSite(publicUrl: string): Site {
  return createSiteOf(publicUrl, ASSETS);
}

/** @param assets by the names that pages know them by, such as `pico.css` */
export function createSiteOf<Name extends string>(publicUrl: string, assets: Record<Name, AssetFile>): SiteOf<Name> {
  const base = new URL(publicUrl).pathname.replace(/\/$/, "");
  const files = new Map<Name, { path: string; bytes: Buffer<ArrayBuffer>; type: string }>();
  for (const [name, { url, type }] of Object.entries<AssetFile>(assets)) {
    const bytes = readFileSync(fileURLToPath(url));
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_LENGTH);
    const [stem, ending] = name.split(".");
    files.set(name as Name, { path: `/assets/${stem}-${hash}.${ending}`, bytes, type });
  }
  return {
    href: (path) => base + path,
    asset: (name) => base + files.get(name)!.path,
    controller() {
      const app = new Elysia();
      for (const { path, bytes, type } of files.values()) {
        const headers = { "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
        app.get(path, () => new Response(bytes, { headers }));
      }
      return app;
    },
  };
}

export interface PageOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Set-Cookie values. */
  cookies?: string[];
  /** Where the page's forms may lead beside our own origin, as CSP sources. */
  formAction?: string[];
  /** Whether the page's scripts may ask our own origin for more. */
  connects?: boolean;
}

/**
 * A page: never cached, framed or told to the next site; no script but our own files, no inline style.
 * With Referrer-Policy no-referrer a form's Origin header is "null", so forms are protected by their token alone.
 */
export async function pageResponse(page: JSX.Element, options: PageOptions = {}): Promise<Response> {
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src 'self' data:",
      ...(options.connects ? ["connect-src 'self'"] : []),
      `form-action ${["'self'", ...(options.formAction ?? [])].join(" ")}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...options.headers,
    ...NO_STORE,
  });
  for (const cookie of options.cookies ?? []) headers.append("set-cookie", cookie);
  return new Response(`<!doctype html>${await page}`, { status: options.status ?? 200, headers });
}
