// POST /oauth2/introspect (RFC 7662).

import type { Queries, Sql } from "../db/connection.ts";
import type { AuthenticateClient } from "./client-authentication.ts";
import { INTROSPECTION_PATH } from "./door.ts";
import { formEndpoint, type OnFailure } from "./endpoint.ts";
import type { Families, PresentedRefreshToken } from "./families/families.ts";
import { readPresentedToken } from "./presented-token.ts";
import { issuableScopes } from "./scopes.ts";
import type { Client } from "./store.ts";
import { subjectOfUser } from "./subject.ts";
import { TokenError } from "./token-error.ts";
import type { AccessTokenClaims } from "./tokens/access-token.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface IntrospectionEndpoint {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  issuer: string;
  authenticateClient: AuthenticateClient;
  onFailure: OnFailure;
}

const INACTIVE = { active: false };

/** A client sees access tokens of its own tenant, and its own refresh tokens; of anything else, that it is not active. */
export function introspectionController({
  sql,
  tokens,
  families,
  issuer,
  authenticateClient,
  onFailure,
}: IntrospectionEndpoint) {
  return formEndpoint(INTROSPECTION_PATH, "rfc", onFailure, async (request, form) => {
    const { client, access, refresh } = await readPresentedToken(authenticateClient, tokens, families, request, form);
    requireSecret(client);
    const found = access
      ? describeAccessToken(client, access)
      : refresh && (await describeRefreshToken(sql, families, issuer, client, refresh));
    return found ?? INACTIVE;
  });
}

/** RFC 7662 2.1: a client_id alone would let anyone try tokens. */
function requireSecret(client: Client): void {
  if (client.clientType !== "confidential") {
    throw new TokenError("invalid_client", "Only a confidential client can introspect tokens.");
  }
}

function describeAccessToken(client: Client, { grant_id: _, ...claims }: AccessTokenClaims) {
  return claims.tenant === client.tenantId ? { active: true, token_type: "Bearer", ...claims } : undefined;
}

async function describeRefreshToken(
  sql: Queries,
  families: Families,
  issuer: string,
  client: Client,
  presented: PresentedRefreshToken,
) {
  if (presented.clientId !== client.id) return undefined;
  const family = await families.liveFamily(sql, client.tenantId, presented);
  return (
    family && {
      active: true,
      scope: (await issuableScopes(sql, client, family)).join(" "),
      client_id: String(client.id),
      sub: family.userId === null ? String(client.id) : subjectOfUser(family.userId),
      iss: issuer,
      iat: Math.floor(family.rotatedOn.getTime() / 1000),
      exp: Math.floor(family.endsOn.getTime() / 1000),
    }
  );
}
