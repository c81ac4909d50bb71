// Claims of the JWT that authenticates a client (RFC 7523 3, OIDC Core 9). Its signature is checked separately.

import { CLIENT_JWT_ALGS } from "../contract.ts";
import { TokenError } from "../errors.ts";
import { CLOCK_TOLERANCE, readClientJwt, requireLife } from "./client-jwt.ts";

/** RFC 7523 2.2. */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The maximum number of characters of a client_assertion. */
const ASSERTION_LIMIT = 8 * 1024;
const JTI_LIMIT = 500;
const KIND = {
  algs: CLIENT_JWT_ALGS,
  /** RFC 7523 defines no typ. The client's JWTs of other kinds have a different typ each. */
  types: ["jwt", "client-authentication+jwt", "application/client-authentication+jwt"],
  typ: "JWT",
  name: "JWT",
};

export interface Assertion {
  jwt: string;
  clientId: string;
  jti: string;
  alg: string;
  isForIssuerAlone: boolean;
  /** Seconds since 1970. */
  expiresAt: number;
}

/**
 * Errors mention only the assertion's own content, so they do not reveal whether the client exists.
 * @param audiences the issuer and the endpoint's address @throws TokenError
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
