// The JWT of a webhook call, for receivers that store no secret (docs/webhooks.md "Verify by our keys").

import type { Sql } from "../../../platform/db/sql.ts";
import type { Vault } from "../../../platform/vault.ts";
import { createSigningKeys } from "../keys/signing-keys.ts";
import { signJwt } from "./jwt.ts";

/** Seconds: for the clocks of receivers, and for a request that waits in their proxy. */
const LIFETIME = 300;

/** Signs by RS256, which every JWT library verifies and whose keys are always published. @param issuer PUBLIC_URL */
export function createCallSigner(sql: Sql, vault: Vault, issuer: string) {
  const keys = createSigningKeys(sql, vault);
  return (claims: Record<string, unknown>): Promise<string> =>
    signJwt(keys, "RS256", "webhook+jwt", LIFETIME, { iss: issuer, ...claims });
}
