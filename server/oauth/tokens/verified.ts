// Checking a signature costs more than most of what is asked with a token, so each good token's is checked once. It
// stays good until the token expires, as long as its key is published; whether the token was revoked is no matter here.

import type { JWTPayload } from "jose";
import { LRUCache } from "lru-cache";

/** The one not asked for longest makes room. */
const TOKENS = 10_000;

export interface VerifiedTokens {
  /** The claims of a token that was good when it was last seen here, and has not expired. */
  find(token: string, key: CryptoKey): JWTPayload | undefined;
  add(token: string, key: CryptoKey, claims: JWTPayload): void;
}

export function createVerifiedTokens(): VerifiedTokens {
  const verified = new LRUCache<string, { claims: JWTPayload; key: CryptoKey }>({ max: TOKENS });

  return {
    find(token, key) {
      const digest = digestOf(token);
      const found = verified.get(digest);
      if (!found) return undefined;
      const isGood = found.key === key && (found.claims.exp ?? 0) > Math.floor(Date.now() / 1000);
      if (isGood) return found.claims;
      verified.delete(digest);
      return undefined;
    },
    add(token, key, claims) {
      verified.set(digestOf(token), { claims, key });
    },
  };
}

/** A token itself should not stay in memory. */
function digestOf(token: string): string {
  return new Bun.CryptoHasher("sha256").update(token).digest("base64");
}
