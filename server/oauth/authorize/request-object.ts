// Authorization requests that their clients have signed (RFC 9101). Of such a request only what is signed counts.

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import type { IsSignedByClient } from "../clients/client-keys.ts";
import { type Client, clientIdOf } from "../clients/store.ts";
import { AUTHORIZATION_REQUEST, CLIENT_JWT_ALGS } from "../contract.ts";
import { AuthorizationError } from "../errors.ts";
import { AUTHORIZATION_PARAMETERS, type Parameters, parseParameters } from "./parameters.ts";

/** Seconds from now that a request object may live at most. */
const OBJECT_LIFETIME = 3_600;
/** Seconds that a client's clock may be off. */
const CLOCK_TOLERANCE = 10;
/**
 * RFC 9101 10.8 recommends the first; clients of OpenID Connect Core 6.1 write JWT or nothing. Then it is told from a client
 * assertion by its client_id and its sub.
 */
const TYPES = ["oauth-authz-req+jwt", "application/oauth-authz-req+jwt", "jwt"];

/** @returns the parameters that the object has, and until when it is good. @throws AuthorizationError invalid_request_object */
export type OpenRequestObject = (
  client: Client,
  object: string,
) => Promise<{ parameters: Parameters; expiresAt: number }>;

export function createRequestObjects(issuer: string, isSignedByClient: IsSignedByClient): OpenRequestObject {
  return async (client, object) => {
    const claims = readClaims(object, client);
    const expiresAt = inTime(claims, client);
    const { iss, aud, sub, client_id: clientId } = claims;
    const own = clientIdOf(client);
    // RFC 9101 5 and 6.3; OIDC Core 6.1.
    if (clientId !== own) throw bad("client_id must be that of the request");
    if (iss !== undefined && iss !== own) throw bad("iss must be the client_id");
    // RFC 9101 10.8.2: it could be taken for a client assertion.
    if (sub === own) throw bad("sub must not be the client_id");
    if (![aud].flat().includes(issuer)) throw bad(`aud must be ${issuer}`);
    // RFC 9101 4.
    if ("request" in claims || "request_uri" in claims) throw bad("it has request or request_uri in it");
    const parameters = parametersOf(claims);
    if (!(await isSignedByClient(client, object))) throw bad("it is not signed by a key of the client");
    return { parameters, expiresAt };
  };
}

function readClaims(object: string, { securityProfile }: Client): JWTPayload {
  const { header, claims } = decoded(object);
  const { alg, typ } = header;
  // FAPI 2.0 Security Profile 5.4.1.
  const algs = CLIENT_JWT_ALGS.filter((one) => securityProfile === "None" || one !== "RS256");
  if (!algs.some((one) => one === alg)) throw bad(`alg must be one of ${algs.join(", ")}`);
  if (typ !== undefined && !(typeof typ === "string" && TYPES.includes(typ.toLowerCase()))) {
    throw bad("typ must be oauth-authz-req+jwt or JWT, or absent");
  }
  if (header.crit !== undefined) throw bad("crit is not supported");
  return claims;
}

function decoded(object: string) {
  try {
    return { header: decodeProtectedHeader(object), claims: decodeJwt(object) };
  } catch {
    throw bad("it is no signed JWT");
  }
}

/** @returns seconds since 1970; nobody takes it from then on */
function inTime({ exp, iat, nbf }: JWTPayload, { securityProfile }: Client): number {
  const now = Date.now() / 1000;
  const isTime = (time: unknown): time is number => Number.isFinite(time);
  if (!isTime(exp)) throw bad("exp is missing");
  if (exp <= now - CLOCK_TOLERANCE) throw bad("it has expired");
  if (exp > now + OBJECT_LIFETIME + CLOCK_TOLERANCE) {
    throw bad(`exp must be at most ${OBJECT_LIFETIME} seconds from now`);
  }
  if ([iat, nbf].some((time) => time !== undefined && !(isTime(time) && time <= now + CLOCK_TOLERANCE))) {
    throw bad("iat or nbf is in the future");
  }
  // FAPI 2.0 Message Signing 5.3.1.
  if (securityProfile === "FAPI2") {
    if (!isTime(nbf)) throw bad("nbf is missing");
    if (nbf < now - OBJECT_LIFETIME - CLOCK_TOLERANCE) throw bad(`nbf is more than ${OBJECT_LIFETIME} seconds ago`);
    if (exp - nbf > OBJECT_LIFETIME) throw bad(`exp must be at most ${OBJECT_LIFETIME} seconds after nbf`);
  }
  return exp + CLOCK_TOLERANCE;
}

function parametersOf(claims: JWTPayload): Parameters {
  const all = new URLSearchParams();
  for (const name of [...Object.keys(AUTHORIZATION_REQUEST.properties), "registration"]) {
    if (!Object.hasOwn(claims, name)) continue;
    for (const text of textsOf(name, claims[name])) all.append(name, text);
  }
  return parseParameters(AUTHORIZATION_PARAMETERS, all.toString());
}

/** RFC 9101 4: numbers stand there as numbers, and `claims` as an object; `resource` may be a list (RFC 8707 2). */
function textsOf(name: string, value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (name === "claims" && typeof value === "object" && value !== null) return [JSON.stringify(value)];
  const isList = name === "resource" && Array.isArray(value) && value.every((one) => typeof one === "string");
  if (isList) return value as string[];
  throw bad(`${name} is of a wrong type`);
}

function bad(reason: string): AuthorizationError {
  return new AuthorizationError("invalid_request_object", `The request object is refused: ${reason}.`);
}
