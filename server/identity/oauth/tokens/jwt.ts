// This issuer's JWTs. `typ` distinguishes their kinds (RFC 8725 3.11). For old libraries, access tokens may have the
// typ of id_tokens; claims then distinguish them (RFC 8725 3.12): only access tokens have client_id.

import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { SigningAlg } from "../contract.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";

export const CLIENT_REFRESH_TOKEN = "rt+jwt";
export const ID_TOKEN = "JWT";

/** RFC 7518 3.1 and RFC 8037, as WebCrypto names them. */
const ALGORITHMS = {
  RS256: { name: "RSASSA-PKCS1-v1_5" },
  ES256: { name: "ECDSA", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} satisfies Record<SigningAlg, object>;

/**
 * Without `seconds` there is no exp. By WebCrypto itself: jose's checks of the key and the header, which are our own, cost
 * nearly as much as a signature by Ed25519.
 */
export async function signJwt(
  keys: SigningKeys,
  alg: SigningAlg,
  typ: string | undefined,
  seconds: number | undefined,
  claims: JWTPayload,
): Promise<string> {
  const { kid, key } = await keys.signingKey(alg);
  const now = Math.floor(Date.now() / 1000);
  const header = encoded({ alg, ...(typ && { typ }), kid });
  const signed = `${header}.${encoded({ ...claims, iat: now, exp: seconds && now + seconds })}`;
  const signature = await crypto.subtle.sign(ALGORITHMS[alg], key, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString("base64url")}`;
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** @param verified cache of tokens verified by the same rules @returns undefined unless valid and of these types */
export async function verifyJwt(
  keys: SigningKeys,
  types: readonly string[],
  algorithms: readonly SigningAlg[],
  token: string,
  options: JWTVerifyOptions,
  verified?: VerifiedTokens,
): Promise<JWTPayload | undefined> {
  const known = verified?.find(token);
  if (known && (await keys.verificationKey(known.kid, known.alg)) === known.key) return known.claims;
  const header = headerOf(token);
  const alg = algorithms.find((known) => known === header?.alg);
  const typ = types.find((known) => known === header?.typ);
  const key = alg && header?.kid ? await keys.verificationKey(header.kid, alg) : undefined;
  if (!alg || !typ || !key) return undefined;
  try {
    const { payload } = await jwtVerify(token, key, { ...options, typ, algorithms: [alg] });
    verified?.add(token, { claims: payload, key, alg, kid: header!.kid! });
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
  /** A token that was verified before and has not expired. */
  find(token: string): VerifiedToken | undefined;
  add(token: string, verified: VerifiedToken): void;
}

interface VerifiedToken {
  claims: JWTPayload;
  /** It counts only while this is the published key of its header. */
  key: CryptoKey;
  kid: string;
  alg: SigningAlg;
}

export function createVerifiedTokens(): VerifiedTokens {
  const verified = new LRUCache<string, VerifiedToken>({ max: TOKENS });

  return {
    find(token) {
      const digest = digestOf(token);
      const found = verified.get(digest);
      if (!found || (found.claims.exp ?? 0) > Math.floor(Date.now() / 1000)) return found;
      verified.delete(digest);
      return undefined;
    },
    add(token, one) {
      verified.set(digestOf(token), one);
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
