// Our own JWTs: every kind has a `typ` of its own, so that none passes for another (RFC 8725 3.11).

import { CompactSign, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import type { SigningAlg } from "../keys/algorithms.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { VerifiedTokens } from "./verified.ts";

/** RFC 9068 2.1. */
export const ACCESS_TOKEN = "at+jwt";
/** The refresh token of the client credentials grant. */
export const CLIENT_REFRESH_TOKEN = "rt+jwt";
export const ID_TOKEN = "JWT";

const utf8 = new TextEncoder();

/** Signs with the live key of `alg`; iat is now. jose's SignJWT copies its claims first, a third of its own work. */
export async function signJwt(
  keys: SigningKeys,
  alg: SigningAlg,
  typ: string,
  seconds: number,
  claims: JWTPayload,
): Promise<string> {
  const { kid, key } = await keys.signingKey(alg);
  const now = Math.floor(Date.now() / 1000);
  const payload = utf8.encode(JSON.stringify({ ...claims, iat: now, exp: now + seconds }));
  return new CompactSign(payload).setProtectedHeader({ alg, typ, kid }).sign(key);
}

/**
 * @param verified tokens that were found good by the same rules before, if there are such
 * @returns the claims, or undefined if the token is not ours, of another kind, expired or malformed
 */
export async function verifyJwt(
  keys: SigningKeys,
  typ: string,
  algorithms: readonly SigningAlg[],
  token: string,
  options: JWTVerifyOptions,
  verified?: VerifiedTokens,
): Promise<JWTPayload | undefined> {
  const header = headerOf(token);
  const alg = algorithms.find((known) => known === header?.alg);
  const key = alg && header?.kid ? await keys.verificationKey(header.kid, alg) : undefined;
  if (!alg || !key) return undefined;
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
