import { accessTokenClaims } from "../claims.ts";
import { TokenError } from "../errors.ts";
import { carriedScopes, ENTITY_API, resourceImplied, targetOf } from "../resources.ts";
import { type GrantRequest, type Issued, requestedScopes } from "./grant.ts";

/** The client credentials grant (RFC 6749 4.4); the spec door also issues a refresh token. */
export async function clientCredentials(request: GrantRequest): Promise<Issued> {
  const { client, door, form, sql, tokens, apis } = request;
  if (client.clientType !== "confidential") {
    throw new TokenError("unauthorized_client", "Only a confidential client can use grant_type client_credentials.");
  }
  const resource = request.resource ?? resourceImplied(apis, form.scope) ?? ENTITY_API;
  const target = targetOf(apis, [resource], resource);
  const granted = requestedScopes(request, target, client.scopes);
  const scopes = carriedScopes(target, granted);
  const claims = await accessTokenClaims(sql, client, target, { scopes: granted });
  const response = {
    expires_in: tokens.lifetimeOf(client, target),
    scope: scopes.join(" "),
    asked: form.scope,
  } as const;
  // RFC 6749 4.4.3: a refresh token should not be included.
  if (door === "rfc" || !client.grantTypes.includes("refresh_token")) {
    return { ...response, access_token: await tokens.issueAccessToken(client, { scopes, target, claims }) };
  }
  const familyId = Bun.randomUUIDv7();
  const [accessToken, refreshToken] = await Promise.all([
    tokens.issueAccessToken(client, { scopes, familyId, target, claims }),
    tokens.issueClientRefreshToken(client, familyId, granted, resource),
  ]);
  return { ...response, access_token: accessToken, refresh_token: refreshToken };
}
