// Where the pages and what they need stand, and the files themselves: nothing comes from another host.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Elysia } from "elysia";

const ASSETS = {
  "pico.css": { url: import.meta.resolve("@picocss/pico/css/pico.min.css"), type: "text/css; charset=utf-8" },
  "gatehouse.css": { url: import.meta.resolve("./gatehouse.css"), type: "text/css; charset=utf-8" },
  "submit.js": { url: import.meta.resolve("./submit.js"), type: "text/javascript; charset=utf-8" },
} as const;
export type AssetName = keyof typeof ASSETS;

const HASH_LENGTH = 16;

export interface Site {
  /** A path of ours as a browser has to ask for it: PUBLIC_URL may have a path of its own. */
  href(path: string): string;
  asset(name: AssetName): string;
  /** Serves the assets; a changed file has another name, so browsers keep them for good. */
  controller(): Elysia;
}

export function createSite(publicUrl: string): Site {
  const base = new URL(publicUrl).pathname.replace(/\/$/, "");
  const files = new Map<AssetName, { path: string; bytes: Buffer<ArrayBuffer>; type: string }>();
  for (const [name, { url, type }] of Object.entries(ASSETS)) {
    const bytes = readFileSync(fileURLToPath(url));
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_LENGTH);
    const [stem, ending] = name.split(".");
    files.set(name as AssetName, { path: `/assets/${stem}-${hash}.${ending}`, bytes, type });
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
