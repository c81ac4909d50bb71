// POST /oauth2/introspect (RFC 7662).

import type { Queries, Sql } from "../../db/connection.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { Client } from "../clients/store.ts";
import { INTROSPECTION_PATH } from "../door.ts";
import { formEndpoint, type OnFailure, TokenError } from "../endpoint.ts";
import { requiredParameter } from "../grants/grant.ts";
import { issuableScopes } from "../scopes.ts";
import type { AccessTokenClaims } from "./access-token.ts";
import type { Families, PresentedRefreshToken } from "./families.ts";
import { subjectOfUser } from "./jwt.ts";
import type { Tokens } from "./tokens.ts";

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

// A token that a client presents for revocation or introspection: of which kind it is, it need not know.

export interface PresentedToken {
  client: Client;
  /** At most one of the two; neither: it is not ours, or has expired. */
  access?: AccessTokenClaims;
  refresh?: PresentedRefreshToken;
}

/**
 * Reads `token`; token_type_hint is not needed to tell ours apart, and an unknown one is ignored (RFC 7009 2.1).
 * @throws TokenError
 */
export async function readPresentedToken(
  authenticateClient: AuthenticateClient,
  tokens: Tokens,
  families: Families,
  request: Request,
  form: Map<string, string>,
): Promise<PresentedToken> {
  const client = await authenticateClient(request, form);
  const token = requiredParameter(form, "token");
  const access = await tokens.readAccessToken(token);
  return access ? { client, access } : { client, refresh: await families.read(token) };
}
