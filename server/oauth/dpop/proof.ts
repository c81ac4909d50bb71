// A DPoP proof (RFC 9449 4): a JWT by which a client shows, with each request, that it has the key that its tokens are
// bound to.

import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from "jose";
import { requestUrl } from "../../http/request.ts";
import { CLIENT_JWT_ALGS } from "../contract.ts";

/** The header that it stands in. */
export const DPOP_HEADER = "dpop";
/** RFC 9449 4.2. */
const PROOF_TYPE = "dpop+jwt";
/** RFC 9449 11.6: never a symmetric one. */
export const DPOP_ALGS = CLIENT_JWT_ALGS;
/** Characters. */
const PROOF_LIMIT = 4 * 1024;
const JTI_LIMIT = 500;

export interface Proof {
  /** The RFC 7638 thumbprint of its key. */
  jkt: string;
  jti: string;
  alg: string;
  nonce: string | undefined;
}

/** What is wrong with a proof, in words that never echo it. */
export class WrongProof extends Error {
  override name = "WrongProof";
}

/**
 * The proof that a request carries, good for this request alone; whether its nonce is live, and whether it was used
 * before, is not asked here.
 * @param base of the address that it came to
 * @param accessToken at an endpoint that takes one: the proof has to name it
 * @returns undefined if there is none
 * @throws WrongProof
 */
export async function readProof(request: Request, base: string, accessToken?: string): Promise<Proof | undefined> {
  const jwt = request.headers.get(DPOP_HEADER);
  if (jwt === null) return undefined;
  // Of several headers the Fetch standard makes one, with commas.
  if (jwt.includes(",")) throw new WrongProof("there is more than one");
  if (jwt.length > PROOF_LIMIT) throw new WrongProof(`it has more than ${PROOF_LIMIT} characters`);
  const { claims, key, alg } = await verified(jwt);
  const { htm, htu, iat, ath, jti, nonce } = claims;
  if (htm !== request.method) throw new WrongProof(`htm is not ${request.method}`);
  const address = base + requestUrl(request).pathname;
  if (typeof htu !== "string" || !isSameAddress(htu, address)) throw new WrongProof(`htu is not ${address}`);
  // Whether that is now does not matter: the nonce tells the age (RFC 9449 4.3).
  if (!Number.isFinite(iat)) throw new WrongProof("iat is missing");
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_LIMIT) {
    throw new WrongProof(`jti must be a string of 1 to ${JTI_LIMIT} characters`);
  }
  if (accessToken !== undefined && ath !== hashOf(accessToken)) {
    throw new WrongProof("ath is not the SHA-256 of the access token");
  }
  if (nonce !== undefined && typeof nonce !== "string") throw new WrongProof("nonce is no string");
  return { jkt: await calculateJwkThumbprint(key), jti, alg, nonce };
}

async function verified(jwt: string): Promise<{ claims: JWTPayload; key: JWK; alg: string }> {
  try {
    // EmbeddedJWK refuses private and symmetric keys.
    const { payload, protectedHeader } = await jwtVerify(jwt, EmbeddedJWK, { typ: PROOF_TYPE, algorithms: DPOP_ALGS });
    return { claims: payload, key: protectedHeader.jwk!, alg: protectedHeader.alg };
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === "typ") {
      throw new WrongProof(`typ is not ${PROOF_TYPE}`);
    }
    if (error instanceof errors.JOSEAlgNotAllowed) throw new WrongProof(`alg must be one of ${DPOP_ALGS.join(", ")}`);
    throw new WrongProof("it is no JWT that is signed by the public key in its jwk");
  }
}

/**
 * Without query and fragment, and by whichever percent-encoding (RFC 9449 4.3, RFC 3986 6.2.2). Our paths are taken in any
 * letter case; a proof is good once, so no more is given away by that.
 */
function isSameAddress(htu: string, address: string): boolean {
  if (!URL.canParse(htu)) return false;
  const [a, b] = [new URL(htu), new URL(address)];
  return a.origin === b.origin && plainPath(a) === plainPath(b);
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
