// The tokens of every grant that has a family.

import { accessTokenClaims, idTokenClaims } from "../claims.ts";
import { carriedScopes, type Target } from "../resources.ts";
import type { Authentication } from "../tokens/id-token.ts";
import type { GrantRequest, Issued } from "./grant.ts";

interface Granted {
  target: Target;
  /** Of whatever resource. */
  scopes: string[];
  familyId: string;
  refreshToken: string;
  /** Whom the client acts for; undefined: for itself. */
  user?: (Authentication & { id: number }) | undefined;
  /** The sign-in session of the id_token, if it lasts. */
  sessionId?: string | undefined;
  nonce?: string | undefined;
  /** The scope parameter of the request that it answers. */
  asked: string | undefined;
  /** Claims that the id_token is to have beside those of the scopes (OIDC Core 5.5). */
  idTokenNames?: string[];
  /** Likewise of userinfo. */
  userinfoNames?: string[];
}

/** The access token, the id_token where openid was granted to a user, and the refresh token if the client may use it. */
export async function issueTokens(
  { client, sql, tokens }: Pick<GrantRequest, "client" | "sql" | "tokens">,
  { target, scopes, familyId, refreshToken, user, sessionId, nonce, asked, idTokenNames, userinfoNames }: Granted,
): Promise<Issued> {
  const carried = carriedScopes(target, scopes);
  const about = { userId: user?.id, scopes };
  const claims = await accessTokenClaims(sql, client, target, about);
  // Userinfo takes no token that is for an API.
  const userinfoClaims = target ? undefined : userinfoNames;
  const grant = { scopes: carried, familyId, user, target, claims, userinfoClaims };
  const accessToken = await tokens.issueAccessToken(client, grant);
  const idToken = async ({ id: userId, ...authentication }: NonNullable<Granted["user"]>) =>
    tokens.issueIdToken(client, {
      ...{ ...authentication, userId, sessionId, nonce, accessToken },
      claims: await idTokenClaims(sql, client, about, idTokenNames),
    });
  return {
    expires_in: tokens.lifetimeOf(client, target),
    access_token: accessToken,
    id_token: user && scopes.includes("openid") ? await idToken(user) : undefined,
    refresh_token: client.grantTypes.includes("refresh_token") ? refreshToken : undefined,
    scope: carried.join(" "),
    asked,
  };
}
