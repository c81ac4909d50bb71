import { grantedScopes, ScopeNotGranted } from "../access/index.ts";
import { printable } from "../http/body.ts";
import type { Client } from "./store.ts";
import type { TokenResponse } from "./token.ts";
import { TokenError } from "./token-error.ts";
import type { Tokens } from "./tokens.ts";

/** The client credentials grant (RFC 6749 4.4); SPEC.md gives it a refresh token as well. */
export async function clientCredentials(
  client: Client,
  form: Map<string, string>,
  tokens: Tokens,
): Promise<TokenResponse> {
  const scopes = ownScopes(form.get("scope"), client.scopes);
  const [accessToken, refreshToken] = await Promise.all([
    tokens.issueAccessToken(client, scopes),
    tokens.issueRefreshToken(client, scopes),
  ]);
  return {
    token_type: "Bearer",
    expires_in: tokens.lifetime,
    access_token: accessToken,
    refresh_token: refreshToken,
  };
}

function ownScopes(requested: string | undefined, owned: string[]): string[] {
  try {
    return grantedScopes(requested, owned);
  } catch (error) {
    if (error instanceof ScopeNotGranted) throw new TokenError("Bad Input", printableScopes(error.scopes));
    throw error;
  }
}

const printableScopes = (scopes: string[]) =>
  `The client does not have the scope ${printable(scopes.join(" "))}. Ask for fewer, or for *.`;
