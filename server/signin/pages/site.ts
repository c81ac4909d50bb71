// Where the pages and what they need stand, and the files themselves: nothing comes from another host.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Elysia } from "elysia";

/** A file and its media type. */
export interface AssetFile {
  url: string;
  type: string;
}

export const CSS = "text/css; charset=utf-8";
export const JAVASCRIPT = "text/javascript; charset=utf-8";

/** Puts the times of a page into its reader's own zone. */
export const TIME_SCRIPT: AssetFile = { url: import.meta.resolve("./time.js"), type: JAVASCRIPT };

const ASSETS = {
  "pico.css": { url: import.meta.resolve("@picocss/pico/css/pico.min.css"), type: CSS },
  "gatehouse.css": { url: import.meta.resolve("./gatehouse.css"), type: CSS },
  "submit.js": { url: import.meta.resolve("./submit.js"), type: JAVASCRIPT },
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
