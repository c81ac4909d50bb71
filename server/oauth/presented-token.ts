// A token that a client presents for revocation or introspection: of which kind it is, it need not know.

import type { AuthenticateClient } from "./client-authentication.ts";
import type { Families, PresentedRefreshToken } from "./families/families.ts";
import { requiredParameter } from "./grants/grant.ts";
import type { Client } from "./store.ts";
import type { AccessTokenClaims } from "./tokens/access-token.ts";
import type { Tokens } from "./tokens/tokens.ts";

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
