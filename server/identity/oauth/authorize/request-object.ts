// Signed authorization requests (RFC 9101). Only signed parameters count.

import type { JWTPayload } from "jose";
import { CLIENT_JWT_LIFETIME, CLOCK_TOLERANCE, isTime, readClientJwt, requireLife } from "../clients/client-jwt.ts";
import type { IsSignedByClient } from "../clients/client-keys.ts";
import { type Client, clientIdOf } from "../clients/store.ts";
import { AUTHORIZATION_REQUEST, CLIENT_JWT_ALGS } from "../contract.ts";
import { AuthorizationError } from "../errors.ts";
import { AUTHORIZATION_PARAMETERS, parseParameters, type RequestParameters } from "./parameters.ts";

/** RFC 9101 10.8 recommends the first; OIDC Core 6.1 clients use JWT or none. client_id and sub exclude assertions. */
const TYPES = ["oauth-authz-req+jwt", "application/oauth-authz-req+jwt", "jwt"];

/** @returns the object's parameters and its expiry @throws AuthorizationError invalid_request_object */
export type OpenRequestObject = (
  client: Client,
  object: string,
) => Promise<{ parameters: RequestParameters; expiresAt: number }>;

export function createRequestObjects(issuer: string, isSignedByClient: IsSignedByClient): OpenRequestObject {
  return async (client, object) => {
    const claims = readClaims(object, client);
    const expiresAt = inTime(claims, client);
    const { iss, aud, sub, client_id: clientId } = claims;
    const own = clientIdOf(client);
    // RFC 9101 5 and 6.3; OIDC Core 6.1.
    if (clientId !== own) throw bad("client_id must be that of the request");
    if (iss !== undefined && iss !== own) throw bad("iss must be the client_id");
    // RFC 9101 10.8.2: prevents use as a client assertion.
    if (sub === own) throw bad("sub must not be the client_id");
    if (!audiencesOf(client, issuer).some((one) => [aud].flat().includes(one))) throw bad(`aud must be ${issuer}`);
    // RFC 9101 4.
    if ("request" in claims || "request_uri" in claims) throw bad("it contains request or request_uri");
    const parameters = parametersOf(claims);
    if (!(await isSignedByClient(client, object))) throw bad("it is not signed by a key of the client");
    return { parameters, expiresAt };
  };
}

/** Some libraries end the issuer in a slash; FAPI 2.0 Message Signing 5.3.1 allows only the issuer. */
function audiencesOf({ securityProfile }: Client, issuer: string): string[] {
  return securityProfile === "FAPI2" ? [issuer] : [issuer, `${issuer}/`];
}

function readClaims(object: string, { securityProfile }: Client): JWTPayload {
  // FAPI 2.0 Security Profile 5.4.1.
  const algs = CLIENT_JWT_ALGS.filter((alg) => securityProfile === "None" || alg !== "RS256");
  const kind = { algs, types: TYPES, typ: "oauth-authz-req+jwt or JWT, or absent", name: "signed JWT" };
  return readClientJwt(object, kind, bad).claims;
}

/** @returns the expiry in seconds since 1970 */
function inTime(claims: JWTPayload, { securityProfile }: Client): number {
  const now = Date.now();
  const exp = requireLife(claims, now, bad);
  // FAPI 2.0 Message Signing 5.3.1.
  if (securityProfile === "FAPI2") {
    const { nbf } = claims;
    if (!isTime(nbf)) throw bad("nbf is missing");
    if (nbf < now / 1000 - CLIENT_JWT_LIFETIME - CLOCK_TOLERANCE) {
      throw bad(`nbf is more than ${CLIENT_JWT_LIFETIME} seconds ago`);
    }
    if (exp - nbf > CLIENT_JWT_LIFETIME) throw bad(`exp must be at most ${CLIENT_JWT_LIFETIME} seconds after nbf`);
  }
  return exp + CLOCK_TOLERANCE;
}

function parametersOf(claims: JWTPayload): RequestParameters {
  const all = new URLSearchParams();
  for (const name of [...Object.keys(AUTHORIZATION_REQUEST.properties), "registration"]) {
    if (!Object.hasOwn(claims, name)) continue;
    for (const text of textsOf(name, claims[name])) all.append(name, text);
  }
  return parseParameters(AUTHORIZATION_PARAMETERS, all.toString());
}

/** RFC 9101 4: numbers are JSON numbers and `claims` is an object; `resource` may be a list (RFC 8707 2). */
function textsOf(name: string, value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (name === "claims" && typeof value === "object" && value !== null) return [JSON.stringify(value)];
  const isList = name === "resource" && Array.isArray(value) && value.every((one) => typeof one === "string");
  if (isList) return value as string[];
  throw bad(`${name} has the wrong type`);
}

function bad(reason: string): AuthorizationError {
  return new AuthorizationError("invalid_request_object", `The request object is rejected: ${reason}.`);
}
