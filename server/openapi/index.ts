// GET /openapi.json, and its viewer at GET /openapi: swagger-ui-dist served from our own paths, without external
// requests.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Elysia, NotFoundError } from "elysia";
import { compressedOnce, encodingFor } from "../platform/http/compression.ts";
import { requestUrl, requireMethod } from "../platform/http/request.ts";
import type { Route } from "../platform/http/route.ts";
import { sites } from "../ui/index.ts";
import { createDocument } from "./document.ts";

const DOCUMENT_CACHING = "public, max-age=300";
const VIEWER_CACHING = "public, max-age=3600";

const VIEWER_HEADERS = {
  "cache-control": VIEWER_CACHING,
  // The viewer's style sheet contains icons as data: URLs.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

const OWN = join(import.meta.dir, "viewer");

/** They use relative links, because PUBLIC_URL may have a path. */
const VIEWER_FILES: Record<string, string> = {
  "/openapi": join(OWN, "index.html"),
  "/openapi/viewer.js": join(OWN, "viewer.js"),
  "/openapi/viewer.css": join(OWN, "viewer.css"),
  "/openapi/gatehouse.css": fileURLToPath(sites.SHARED_STYLES.url),
  "/openapi/dark.css": fileURLToPath(sites.DARK_STYLES.url),
  "/openapi/swagger-ui-bundle.js": require.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
  "/openapi/swagger-ui.css": require.resolve("swagger-ui-dist/swagger-ui.css"),
  "/openapi/oauth2-redirect.html": require.resolve("swagger-ui-dist/oauth2-redirect.html"),
  "/openapi/oauth2-redirect.js": require.resolve("swagger-ui-dist/oauth2-redirect.js"),
};

export function openApiController(publicUrl: string, routes: readonly Route[]) {
  const text = JSON.stringify(createDocument(publicUrl, routes));
  const etag = `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url")}"`;
  const headers = { "content-type": "application/json", "cache-control": DOCUMENT_CACHING, etag };
  return new Elysia()
    .all(
      "/openapi.json",
      ({ request }) => {
        requireMethod(request, "GET");
        const isKnown = request.headers.get("if-none-match") === etag;
        return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
      },
      { parse: "none" },
    )
    .all("/openapi", viewerFile, { parse: "none" })
    .all("/openapi/*", viewerFile, { parse: "none" });
}

const FILES = new Map(
  Object.entries(VIEWER_FILES).map(([path, file]) => [
    path,
    { type: Bun.file(file).type, in: compressedOnce(() => Bun.file(file).bytes()) },
  ]),
);

async function viewerFile({ request }: { request: Request }): Promise<Response> {
  const file = FILES.get(requestUrl(request).pathname);
  // Like any unknown path: browsers get a page.
  if (file === undefined) throw new NotFoundError();
  requireMethod(request, "GET");
  // Brotli at its best would take seconds for the viewer's script.
  const encoding = encodingFor(request, ["gzip"]);
  const headers = {
    ...VIEWER_HEADERS,
    "content-type": file.type,
    vary: "Accept-Encoding",
    ...(encoding && { "content-encoding": encoding }),
  };
  return new Response(await file.in(encoding), { headers });
}
