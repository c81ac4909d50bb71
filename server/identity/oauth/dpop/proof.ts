// A DPoP proof (RFC 9449 4): a JWT that proves possession of the key that tokens are bound to.

import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from "jose";
import { readUrl, urlOf } from "../../../platform/address.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { CLIENT_JWT_ALGS } from "../contract.ts";

export const DPOP_HEADER = "dpop";
/** RFC 9449 4.2. */
const PROOF_TYPE = "dpop+jwt";
/** RFC 9449 11.6: asymmetric algorithms only. */
export const DPOP_ALGS = CLIENT_JWT_ALGS;
/** The maximum number of characters. */
const PROOF_LIMIT = 4 * 1024;
const JTI_LIMIT = 500;

export interface Proof {
  /** The RFC 7638 thumbprint of its key. */
  jkt: string;
  jti: string;
  alg: string;
  nonce: string | undefined;
}

/** Why a proof is invalid; the text never repeats the proof. */
export class WrongProof extends Error {
  override name = "WrongProof";
}

/**
 * Does not check the nonce and reuse. @param base the address that the request came to
 * @param accessToken the token that the proof must name, if the endpoint accepts one
 * @returns undefined if there is no proof @throws WrongProof
 */
export async function readProof(request: Request, base: string, accessToken?: string): Promise<Proof | undefined> {
  const jwt = request.headers.get(DPOP_HEADER);
  if (jwt === null) return undefined;
  // The Fetch standard joins repeated headers with commas.
  if (jwt.includes(",")) throw new WrongProof("there is more than one");
  if (jwt.length > PROOF_LIMIT) throw new WrongProof(`it has more than ${PROOF_LIMIT} characters`);
  const { claims, key, alg } = await verified(jwt);
  const { htm, htu, iat, ath, jti, nonce } = claims;
  if (htm !== request.method) throw new WrongProof(`htm is not ${request.method}`);
  const address = base + requestUrl(request).pathname;
  if (typeof htu !== "string" || !isSameAddress(htu, address)) throw new WrongProof(`htu is not ${address}`);
  // iat is only required to exist, because the nonce determines the age (RFC 9449 4.3).
  if (!Number.isFinite(iat)) throw new WrongProof("iat is missing");
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_LIMIT) {
    throw new WrongProof(`jti must be a string of 1 to ${JTI_LIMIT} characters`);
  }
  if (accessToken !== undefined && ath !== hashOf(accessToken)) {
    throw new WrongProof("ath is not the SHA-256 of the access token");
  }
  if (nonce !== undefined && typeof nonce !== "string") throw new WrongProof("nonce is not a string");
  return { jkt: await calculateJwkThumbprint(key), jti, alg, nonce };
}

async function verified(jwt: string): Promise<{ claims: JWTPayload; key: JWK; alg: string }> {
  try {
    // EmbeddedJWK rejects private and symmetric keys.
    const { payload, protectedHeader } = await jwtVerify(jwt, EmbeddedJWK, { typ: PROOF_TYPE, algorithms: DPOP_ALGS });
    return { claims: payload, key: protectedHeader.jwk!, alg: protectedHeader.alg };
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === "typ") {
      throw new WrongProof(`typ is not ${PROOF_TYPE}`);
    }
    if (error instanceof errors.JOSEAlgNotAllowed) throw new WrongProof(`alg must be one of ${DPOP_ALGS.join(", ")}`);
    throw new WrongProof("it is not a JWT signed with the public key in its jwk");
  }
}

/** Ignores query, fragment, encoding (RFC 9449 4.3, RFC 3986 6.2.2) and case; harmless, as a proof is valid once. */
function isSameAddress(htu: string, address: string): boolean {
  const [a, b] = [readUrl(htu), urlOf(address)];
  return a !== undefined && a.origin === b.origin && plainPath(a) === plainPath(b);
}

function plainPath({ pathname }: URL): string {
  const decoded = (segment: string) => {
    try {
      return encodeURIComponent(decodeURIComponent(segment));
    } catch {
      return segment;
    }
  };
  return pathname.split("/").map(decoded).join("/").toLowerCase();
}

function hashOf(accessToken: string): string {
  return new Bun.CryptoHasher("sha256").update(accessToken).digest("base64url");
}
