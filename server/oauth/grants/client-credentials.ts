import type { TokenResponse } from "../contract.ts";
import { TokenError } from "../endpoint.ts";
import { askableScopes } from "../scopes.ts";
import { type GrantRequest, requestedScopes } from "./grant.ts";

/** The client credentials grant (RFC 6749 4.4); the spec door gives it a refresh token as well. */
export async function clientCredentials({ client, form, door, sql, tokens }: GrantRequest): Promise<TokenResponse> {
  if (client.clientType !== "confidential") {
    throw new TokenError("unauthorized_client", "Only a confidential client can use grant_type client_credentials.");
  }
  const scopes = requestedScopes(door, form.scope, await askableScopes(sql, client));
  const response = { token_type: "Bearer", expires_in: tokens.lifetimeOf(client), scope: scopes.join(" ") } as const;
  // RFC 6749 4.4.3: a refresh token should not be included.
  if (door === "rfc" || !client.grantTypes.includes("refresh_token")) {
    return { ...response, access_token: await tokens.issueAccessToken(client, { scopes }) };
  }
  const familyId = Bun.randomUUIDv7();
  const [accessToken, refreshToken] = await Promise.all([
    tokens.issueAccessToken(client, { scopes, familyId }),
    tokens.issueClientRefreshToken(client, familyId, scopes),
  ]);
  return { ...response, access_token: accessToken, refresh_token: refreshToken };
}
