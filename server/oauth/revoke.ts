// POST /oauth2/revoke (RFC 7009).

import type { Sql } from "../db/connection.ts";
import type { AuthenticateClient } from "./client-authentication.ts";
import { REVOCATION_PATH } from "./door.ts";
import { formEndpoint, type OnFailure } from "./endpoint.ts";
import type { Families } from "./families/families.ts";
import { type PresentedToken, readPresentedToken } from "./presented-token.ts";
import type { Revocations } from "./revocations/revocations.ts";
import { insertRevokedToken } from "./revocations/store.ts";
import { TokenError } from "./token-error.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface RevocationEndpoint {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  revocations: Revocations;
  authenticateClient: AuthenticateClient;
  onFailure: OnFailure;
}

/**
 * A refresh token ends its whole family, access tokens included; an access token ends alone. That a token is unknown
 * or has expired is as good as revoked (RFC 7009 2.2).
 */
export function revocationController({
  sql,
  tokens,
  families,
  revocations,
  authenticateClient,
  onFailure,
}: RevocationEndpoint) {
  return formEndpoint(REVOCATION_PATH, "rfc", onFailure, async (request, form) => {
    const presented = await readPresentedToken(authenticateClient, tokens, families, request, form);
    requireOwn(presented);
    const { client, access, refresh } = presented;
    if (access) await insertRevokedToken(sql, client.tenantId, access.jti, new Date(access.exp * 1000));
    if (refresh) await families.revokePresented(sql, client.tenantId, refresh);
    if (access || refresh) await revocations.reload();
    return undefined;
  });
}

/** RFC 7009 2.1: it must have been issued to this client. */
function requireOwn({ client, access, refresh }: PresentedToken): void {
  const owner = access ? Number(access.client_id) : refresh?.clientId;
  if (owner !== undefined && owner !== client.id) {
    throw new TokenError("unauthorized_client", "The token was issued to another client.");
  }
}
