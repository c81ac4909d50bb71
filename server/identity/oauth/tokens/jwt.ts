// This issuer's JWTs. `typ` distinguishes their kinds (RFC 8725 3.11). For old libraries, access tokens may have the
// typ of id_tokens; claims then distinguish them (RFC 8725 3.12): only access tokens have client_id.

import { CompactSign, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { SigningAlg } from "../contract.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";

export const CLIENT_REFRESH_TOKEN = "rt+jwt";
export const ID_TOKEN = "JWT";

const utf8 = new TextEncoder();

/** Without `seconds` there is no exp. Faster than jose's SignJWT: it spends a third of its time on copying claims. */
export async function signJwt(
  keys: SigningKeys,
  alg: SigningAlg,
  typ: string | undefined,
  seconds: number | undefined,
  claims: JWTPayload,
): Promise<string> {
  const { kid, key } = await keys.signingKey(alg);
  const now = Math.floor(Date.now() / 1000);
  const payload = utf8.encode(JSON.stringify({ ...claims, iat: now, exp: seconds && now + seconds }));
  return new CompactSign(payload).setProtectedHeader({ alg, ...(typ && { typ }), kid }).sign(key);
}

/** @param verified cache of tokens verified by the same rules @returns undefined unless valid and of these types */
export async function verifyJwt(
  keys: SigningKeys,
  types: readonly string[],
  algorithms: readonly SigningAlg[],
  token: string,
  options: JWTVerifyOptions,
  verified?: VerifiedTokens,
): Promise<JWTPayload | undefined> {
  const header = headerOf(token);
  const alg = algorithms.find((known) => known === header?.alg);
  const typ = types.find((known) => known === header?.typ);
  const key = alg && header?.kid ? await keys.verificationKey(header.kid, alg) : undefined;
  if (!alg || !typ || !key) return undefined;
  const known = verified?.find(token, key);
  if (known) return known;
  try {
    const { payload } = await jwtVerify(token, key, { ...options, typ, algorithms: [alg] });
    verified?.add(token, key, payload);
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function headerOf(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

// Caches verified signatures, because verification dominates the cost of most requests. An entry is valid until the
// token expires, while its key is published; revocation is checked elsewhere.

/** The maximum number of cached tokens. */
const TOKENS = 10_000;

export interface VerifiedTokens {
  /** The claims of a token that was verified before and has not expired. */
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

/** Tokens themselves should not stay in memory. */
function digestOf(token: string): string {
  return new Bun.CryptoHasher("sha256").update(token).digest("base64");
}

// The subject of a token. A User and an Application may have the same Id, so a user's `sub` has a prefix (RFC 9068 5).

const USER_SUBJECT = /^user-([1-9]\d{0,9})$/;

/** A user's `sub`: stable, and never equal to a client's. */
export function subjectOfUser(userId: number): string {
  return `user-${userId}`;
}

export function userOfSubject(subject: string): number | undefined {
  const id = USER_SUBJECT.exec(subject)?.[1];
  return id === undefined ? undefined : Number(id);
}
