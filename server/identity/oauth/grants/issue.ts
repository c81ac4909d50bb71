// Issues the tokens of every grant with a family.

import { accessTokenClaims, idTokenClaims } from "../claims.ts";
import { carriedScopes, type Target } from "../resources.ts";
import type { AuthenticationClaims } from "../tokens/id-token.ts";
import type { GrantRequest, Issued } from "./grant.ts";

interface Granted {
  target: Target;
  scopes: string[];
  familyId: string;
  refreshToken: string;
  /** The user that the client acts for; undefined: the client itself. */
  user?: (AuthenticationClaims & { id: number }) | undefined;
  /** The sign-in session for the id_token, if it is still active. */
  sessionId?: string | undefined;
  isSessionAsked?: boolean;
  nonce?: string | undefined;
  asked: string | undefined;
  /** Additional claims of the id_token (OIDC Core 5.5). */
  idTokenNames?: string[];
  userinfoNames?: string[];
}

/** An id_token requires openid and a user; a refresh token, a client that may use it. */
export async function issueTokens(
  { client, sql, tokens }: Pick<GrantRequest, "client" | "sql" | "tokens">,
  granted: Granted,
): Promise<Issued> {
  const { target, scopes, familyId, refreshToken, user, nonce, asked, idTokenNames, userinfoNames } = granted;
  const carried = carriedScopes(target, scopes);
  const about = { userId: user?.id, scopes };
  const claims = await accessTokenClaims(sql, client, target, about);
  // Userinfo rejects tokens for APIs.
  const userinfoClaims = target ? undefined : userinfoNames;
  const grant = { scopes: carried, familyId, user, target, claims, userinfoClaims };
  const accessToken = await tokens.issueAccessToken(client, grant);
  const idToken = async ({ id: userId, ...authentication }: NonNullable<Granted["user"]>) =>
    tokens.issueIdToken(client, {
      ...authentication,
      userId,
      sessionId: granted.sessionId,
      isSessionAsked: granted.isSessionAsked,
      nonce,
      accessToken,
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
