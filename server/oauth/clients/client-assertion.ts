// The JWT by which a client proves who it is (RFC 7523 3, OIDC Core 9): what it says. Who signed it is for its keys.

import { CLIENT_JWT_ALGS } from "../contract.ts";
import { TokenError } from "../errors.ts";
import { CLOCK_TOLERANCE, readClientJwt, requireLife } from "./client-jwt.ts";

/** RFC 7523 2.2. */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Characters. */
const ASSERTION_LIMIT = 8 * 1024;
const JTI_LIMIT = 500;
const KIND = {
  algs: CLIENT_JWT_ALGS,
  /** RFC 7523 says nothing of it; the other kinds of JWT that a client signs have one of their own. */
  types: ["jwt", "client-authentication+jwt", "application/client-authentication+jwt"],
  typ: "JWT",
  name: "JWT",
};

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
  if (jwt.length > ASSERTION_LIMIT) throw bad(`it has more than ${ASSERTION_LIMIT} characters`);
  const { alg, claims } = readClientJwt(jwt, KIND, bad);
  const { iss, sub, aud, jti } = claims;
  if (typeof sub !== "string" || sub === "" || iss !== sub) throw bad("iss and sub must both be the client_id");
  const sentTo = Array.isArray(aud) ? aud : [aud];
  if (sentTo.length === 0 || !sentTo.every((one) => typeof one === "string" && audiences.includes(one))) {
    throw bad(`aud must be ${audiences[0]}`);
  }
  const exp = requireLife(claims, now, bad);
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_LIMIT) {
    throw bad(`jti must be a string of 1 to ${JTI_LIMIT} characters`);
  }
  const isForIssuerAlone = aud === audiences[0];
  return { jwt, clientId: sub, jti, alg, isForIssuerAlone, expiresAt: exp + CLOCK_TOLERANCE };
}

function bad(reason: string): TokenError {
  return new TokenError("invalid_client", `Client authentication failed: client_assertion is wrong: ${reason}.`);
}
