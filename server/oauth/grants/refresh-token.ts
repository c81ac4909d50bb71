import type { Queries } from "../../db/connection.ts";
import { originOfClient } from "../clients/client-authentication.ts";
import type { Client } from "../clients/store.ts";
import type { TokenResponse } from "../contract.ts";
import type { Door } from "../door.ts";
import { requireField, TokenError } from "../endpoint.ts";
import { issuableScopes } from "../scopes.ts";
import type { Family } from "../tokens/families.store.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { type GrantRequest, requestedScopes } from "./grant.ts";

/** RFC 6749 6: the scope may be narrowed for this access token, never widened; the family keeps its own. */
export async function refreshToken({
  request,
  client,
  form,
  door,
  sql,
  tokens,
  families,
}: GrantRequest): Promise<TokenResponse> {
  const presented = await families.read(requireField(form, "refresh_token"));
  if (!presented) throw new TokenError("invalid_grant", "The refresh token is not one of ours, or has expired.");
  if (presented.clientId !== client.id) {
    throw new TokenError("another_clients_grant", "The refresh token was issued to another client.");
  }
  let scopes: string[] = [];
  const { family, refreshToken: next } = await families.rotate(
    sql,
    client.tenantId,
    presented,
    async (found) => {
      scopes = await narrowedScopes(sql, door, form.scope, found, client);
    },
    originOfClient(request, client),
  );
  const user = userOf(family);
  const accessToken = await tokens.issueAccessToken(client, { scopes, familyId: family.id, user });
  return {
    token_type: "Bearer",
    expires_in: tokens.lifetimeOf(client),
    access_token: accessToken,
    id_token: user && scopes.includes("openid") ? await idToken(tokens, client, family, user, accessToken) : undefined,
    refresh_token: next,
    scope: scopes.join(" "),
  };
}

/** What was granted, less what was lost since. */
async function narrowedScopes(
  sql: Queries,
  door: Door,
  requested: string | undefined,
  family: Family,
  client: Client,
): Promise<string[]> {
  return requestedScopes(door, requested?.trim() || "*", await issuableScopes(sql, client, family));
}

function userOf({ userId, authTime, acr, amr }: Family) {
  if (userId === null || authTime === null) return undefined;
  return { id: userId, authTime: authTime.getTime() / 1000, acr: acr ?? undefined, amr: amr ?? undefined };
}

/** OIDC Core 12.2: about the same sign-in, without its nonce. */
function idToken(
  tokens: Tokens,
  client: Client,
  family: Family,
  { id, ...authentication }: NonNullable<ReturnType<typeof userOf>>,
  accessToken: string,
): Promise<string> {
  const sessionId = family.sessionId ?? undefined;
  return tokens.issueIdToken(client, { ...authentication, userId: id, sessionId, accessToken });
}
