// Binds tokens of every grant to the client's DPoP key (RFC 9449 5).

import type { Client } from "../clients/store.ts";
import { TokenError } from "../errors.ts";
import type { Families } from "../tokens/families.ts";
import type { Tokens } from "../tokens/tokens.ts";

interface Issuing {
  tokens: Tokens;
  families: Families;
}

/** @param jkt the key's thumbprint; undefined: no proof */
export function boundTo(jkt: string | undefined, { clientType }: Client, { tokens, families }: Issuing): Issuing {
  // A client with a secret authenticates when refreshing, so its refresh tokens are not bound.
  const refreshedBy = clientType === "confidential" ? undefined : jkt;
  return {
    tokens: { ...tokens, issueAccessToken: (client, grant) => tokens.issueAccessToken(client, { ...grant, jkt }) },
    families: {
      ...families,
      start: (grant) => families.start({ ...grant, jkt: refreshedBy }),
      refresh: (sql, tenantId, presented, use) =>
        families.refresh(sql, tenantId, presented, {
          ...use,
          async check(family) {
            requireKey(family.jkt, jkt, "refresh token");
            await use.check(family);
          },
        }),
    },
  };
}

/** @throws TokenError invalid_grant */
export function requireKey(bound: string | null, jkt: string | undefined, what: string): void {
  if (bound === null || bound === jkt) return;
  const problem = jkt === undefined ? "Send a DPoP proof." : "The DPoP proof uses a different key.";
  throw new TokenError("invalid_grant", `The ${what} is bound to a key. ${problem}`);
}
