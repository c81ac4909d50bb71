import { Elysia } from "elysia";
import { MethodNotAllowed } from "../../errors.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The published keys (RFC 7517). */
export function jwksController(keys: SigningKeys) {
  const path = "/.well-known/jwks.json";
  return new Elysia()
    .get(path, async () => Response.json(await keys.jwks(), { headers: { "cache-control": "public, max-age=300" } }))
    .all(path, () => {
      throw new MethodNotAllowed(["GET"]);
    });
}
