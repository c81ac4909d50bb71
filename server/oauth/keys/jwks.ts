import { Elysia } from "elysia";
import { MethodNotAllowed } from "../../errors.ts";
import { openToBrowsers, preflight } from "../../http/cross-origin.ts";
import { JWKS_PATH } from "../door.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The published keys (RFC 7517). */
export function jwksController(keys: SigningKeys) {
  return new Elysia()
    .get(JWKS_PATH, async () =>
      openToBrowsers(Response.json(await keys.jwks(), { headers: { "cache-control": "public, max-age=300" } })),
    )
    .options(JWKS_PATH, () => preflight("GET"))
    .all(JWKS_PATH, () => {
      throw new MethodNotAllowed(["GET"]);
    });
}
