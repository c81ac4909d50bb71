// The JWT by which a client proves who it is (RFC 7523 3, OIDC Core 9): what it says. Who signed it is for its keys.

import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from "jose";
import { CLIENT_JWT_ALGS } from "../contract.ts";
import { TokenError } from "../errors.ts";

/** RFC 7523 2.2. */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Characters. */
const ASSERTION_LIMIT = 8 * 1024;
/** Seconds from now that it may live at most: so long its jti is kept. */
const ASSERTION_LIFETIME = 3_600;
/** Seconds that a client's clock may be off. */
const CLOCK_TOLERANCE = 10;
const JTI_LIMIT = 500;
/** RFC 7523 says nothing of it; the other kinds of JWT that a client signs have one of their own. */
const TYPES = ["jwt", "client-authentication+jwt", "application/client-authentication+jwt"];

export interface Assertion {
  jwt: string;
  clientId: string;
  jti: string;
  alg: string;
  /** It is for us by our own name alone. */
  isForIssuerAlone: boolean;
  /** Seconds since 1970; nobody takes it from then on. */
  expiresAt: number;
}

/**
 * Says only what the sender can read in the assertion itself, so it does not tell whether there is such a client.
 * @param audiences what it may be for: us, or the endpoint that it is sent to
 * @throws TokenError
 */
export function readAssertion(jwt: string, audiences: readonly string[], now = Date.now()): Assertion {
  const { header, claims } = decoded(jwt);
  const { typ } = header;
  const alg = CLIENT_JWT_ALGS.find((one) => one === header.alg);
  if (!alg) throw bad(`alg must be one of ${CLIENT_JWT_ALGS.join(", ")}`);
  if (typ !== undefined && !(typeof typ === "string" && TYPES.includes(typ.toLowerCase())))
    throw bad("typ must be JWT");
  if (header.crit !== undefined) throw bad("crit is not supported");
  const { iss, sub, aud, exp, iat, nbf, jti } = claims;
  if (typeof sub !== "string" || sub === "" || iss !== sub) throw bad("iss and sub must both be the client_id");
  const sentTo = Array.isArray(aud) ? aud : [aud];
  if (sentTo.length === 0 || !sentTo.every((one) => typeof one === "string" && audiences.includes(one))) {
    throw bad(`aud must be ${audiences[0]}`);
  }
  const seconds = now / 1000;
  const isTime = (time: unknown): time is number => Number.isFinite(time);
  if (!isTime(exp)) throw bad("exp is missing");
  if (exp <= seconds - CLOCK_TOLERANCE) throw bad("it has expired");
  if (exp > seconds + ASSERTION_LIFETIME + CLOCK_TOLERANCE) {
    throw bad(`exp must be at most ${ASSERTION_LIFETIME} seconds from now`);
  }
  if ([iat, nbf].some((time) => time !== undefined && !(isTime(time) && time <= seconds + CLOCK_TOLERANCE))) {
    throw bad("iat or nbf is in the future");
  }
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_LIMIT) {
    throw bad(`jti must be a string of 1 to ${JTI_LIMIT} characters`);
  }
  const isForIssuerAlone = aud === audiences[0];
  return { jwt, clientId: sub, jti, alg, isForIssuerAlone, expiresAt: exp + CLOCK_TOLERANCE };
}

function decoded(jwt: string): { header: ProtectedHeaderParameters; claims: JWTPayload } {
  if (jwt.length > ASSERTION_LIMIT) throw bad(`it has more than ${ASSERTION_LIMIT} characters`);
  try {
    return { header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt) };
  } catch {
    throw bad("it is no JWT");
  }
}

function bad(reason: string): TokenError {
  return new TokenError("invalid_client", `Client authentication failed: client_assertion is wrong: ${reason}.`);
}
