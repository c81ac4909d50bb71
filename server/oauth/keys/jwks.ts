import { Elysia } from "elysia";
import { openToBrowsers, preflight } from "../../http/cross-origin.ts";
import { requireMethod } from "../../http/method.ts";
import { JWKS_PATH } from "../door.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The published keys (RFC 7517). */
export function jwksController(keys: SigningKeys) {
  return new Elysia()
    .options(JWKS_PATH, () => preflight("GET"))
    .all(JWKS_PATH, async ({ request }) => {
      requireMethod(request, "GET");
      return openToBrowsers(Response.json(await keys.jwks(), { headers: { "cache-control": "public, max-age=300" } }));
    });
}
