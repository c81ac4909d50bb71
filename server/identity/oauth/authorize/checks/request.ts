import { printable } from "../../../../platform/http/body.ts";
import { parseJson } from "../../../../platform/http/json.ts";
import type { Api } from "../../apis/contract.ts";
import type { Client } from "../../clients/store.ts";
import { RESPONSE_MODES, RESPONSE_TYPES, SIGNED_RESPONSE_MODES } from "../../contract.ts";
import { type Door, IGNORED_SCOPES } from "../../door.ts";
import { AuthorizationError, mayNotUse } from "../../errors.ts";
import {
  askableWith,
  ENTITY_API,
  InvalidTarget,
  resourceImplied,
  resourcesIn,
  standardScopes,
  withoutScope,
} from "../../resources.ts";
import { grantedScopes, ScopeNotGranted } from "../../scope-parameter.ts";
import type { RequestParameters } from "../parameters.ts";

export type ResponseType = (typeof RESPONSE_TYPES)[number];
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Only the RFC door supports JARM. */
const MODES: Record<Door, readonly string[]> = {
  spec: RESPONSE_MODES,
  rfc: [...RESPONSE_MODES, ...SIGNED_RESPONSE_MODES],
};

/** RFC 6749 3.1; RFC 8707 2 allows repeating `resource`. */
export function nothingRepeated(parameters: RequestParameters): void {
  const name = parameters.repeated.find((repeated) => repeated !== "resource");
  if (name) throw new AuthorizationError("invalid_request", `${printable(name)} is repeated in the request.`);
}

/** PostgreSQL's text type cannot store NUL, and no parameter needs it. */
export function noNul(parameters: RequestParameters): void {
  const [name] = [...new URLSearchParams(parameters.text)].find(([, value]) => value.includes("\0")) ?? [];
  if (name) throw new AuthorizationError("invalid_request", `${printable(name)} contains a NUL character.`);
}

/** Members of a request object that control the error response. */
const OF_THE_REPLY = ["response_mode", "state"] as const;

/**
 * A rejected request object still controls its error response (OIDC Core 6.1), unless parameters outside it do. Only
 * these members are read, and the signature is not checked.
 */
export function parametersOfReply(parameters: RequestParameters): RequestParameters {
  const said = payloadOf(parameters.sent.request);
  const ofObject = OF_THE_REPLY.flatMap((name) => {
    const value = Object.hasOwn(said, name) ? said[name] : undefined;
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return { ...parameters, sent: { ...Object.fromEntries(ofObject), ...parameters.sent } };
}

function payloadOf(requestObject: string | undefined): Record<string, unknown> {
  const payload = parseJson(Buffer.from(requestObject?.split(".")[1] ?? "", "base64url").toString("utf8"));
  return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : {};
}

/** OIDC Core 6 and 7.2.1. */
export function noRequestObject(parameters: RequestParameters): void {
  for (const name of ["request", "request_uri", "registration"] as const) {
    if (parameters.sent[name]) throw new AuthorizationError(`${name}_not_supported`, `${name} is not supported.`);
  }
}

/** The values may be in any order (OAuth 2.0 Multiple Response Type Encoding Practices 3). */
export function supportedResponseType(parameters: RequestParameters): ResponseType {
  const given = parameters.sent.response_type;
  if (!given) throw new AuthorizationError("invalid_request", "response_type is missing.");
  const sorted = given.split(" ").sort().join(" ");
  const known = RESPONSE_TYPES.find((type) => type === sorted);
  if (!known) {
    throw new AuthorizationError("unsupported_response_type", `response_type must be ${RESPONSE_TYPES.join(" or ")}.`);
  }
  return known;
}

/** The response mode, if the requested one is valid; permittedResponseMode reports invalid ones. */
export function responseMode(
  door: Door,
  { sent, repeated }: RequestParameters,
): { mode: ResponseMode; isSigned: boolean } {
  const asked = repeated.includes("response_mode")
    ? undefined
    : MODES[door].find((mode) => mode === sent.response_mode);
  const named = RESPONSE_MODES.find((mode) => asked === mode || asked === `${mode}.jwt`);
  return { mode: named ?? defaultMode(door, sent.response_type), isSigned: asked?.endsWith("jwt") ?? false };
}

/** Also handles unsupported types (OAuth 2.0 Multiple Response Type Encoding Practices 5, RFC 6749 4.2.2.1). */
function defaultMode(door: Door, responseType = ""): ResponseMode {
  const words = responseType.split(" ");
  return door === "rfc" && (words.includes("id_token") || words.includes("token")) ? "fragment" : "query";
}

/** docs/behaviour.md "Authorization request": unchanged; the RFC door ignores an empty one (RFC 6749 3.1). */
export function returnedState(door: Door, parameters: RequestParameters): string | undefined {
  if (parameters.repeated.includes("state")) return undefined;
  const isEmpty = parameters.names.includes("state") && parameters.sent.state === undefined;
  return isEmpty && door === "spec" ? "" : parameters.sent.state;
}

/** OpenID Connect Dynamic Client Registration 2: only registered response types. */
export function registeredResponseType({ responseTypes }: Client, type: ResponseType): void {
  if (responseTypes.includes(type)) return;
  throw new AuthorizationError(
    "unauthorized_client",
    `The client is not permitted to use response_type ${type}. An administrator can add it to ResponseTypes.`,
  );
}

/** FAPI 2.0 Security Profile 5.3.2.2. */
export function codeAloneByProfile({ securityProfile }: Client, type: ResponseType): void {
  if (securityProfile === "None" || type === "code") return;
  throw new AuthorizationError(
    "unsupported_response_type",
    "response_type must be code because of the client's SecurityProfile.",
  );
}

/** FAPI 2.0 Security Profile 5.3.2.2: required even if the client has only one. */
export function redirectUriByProfile({ securityProfile }: Client, { sent }: RequestParameters): void {
  if (securityProfile === "None" || sent.redirect_uri !== undefined) return;
  throw new AuthorizationError(
    "invalid_request",
    "redirect_uri is missing, which the client's SecurityProfile requires.",
  );
}

/** An id_token is never allowed in a query: the spec door omits it there, the RFC door rejects the request. */
export function permittedResponseMode(door: Door, type: ResponseType, parameters: RequestParameters): void {
  const asked = parameters.sent.response_mode;
  if (asked !== undefined && !MODES[door].includes(asked)) {
    throw new AuthorizationError("invalid_request", `response_mode must be one of ${MODES[door].join(", ")}.`);
  }
  // JARM 2.3.1 says the same about query.jwt.
  if (door === "rfc" && type === "code id_token" && (asked === "query" || asked === "query.jwt")) {
    const reason = `response_mode ${asked} is not allowed for response_type code id_token.`;
    throw new AuthorizationError("invalid_request", reason);
  }
}

/** RFC 9126 5. */
export function pushedIfRequired({ requirePar }: Client, isPushed: boolean): void {
  if (!requirePar || isPushed) return;
  throw new AuthorizationError("invalid_request", "The client must push its authorization requests (RFC 9126).");
}

/** RFC 9101 10.5. */
export function signedIfRequired({ requireSignedRequestObject }: Client, isSigned: boolean): void {
  if (!requireSignedRequestObject || isSigned) return;
  throw new AuthorizationError("invalid_request", "The client must sign its authorization requests (RFC 9101).");
}

export function mayUseCodes(client: Client): void {
  if (client.grantTypes.includes("authorization_code")) return;
  throw new AuthorizationError("unauthorized_client", mayNotUse("authorization_code"));
}

/** The requested scopes that the client has; scopes that the user lacks are removed later. */
export function ownedScopes(
  door: Door,
  client: Client,
  { apis, resources }: { apis: readonly Api[]; resources: string[] },
  parameters: RequestParameters,
): string[] {
  try {
    const askable = askableWith(apis, resources, client.scopes);
    return grantedScopes(parameters.sent.scope, askable, standardScopes(door, apis, resources), IGNORED_SCOPES[door]);
  } catch (error) {
    if (!(error instanceof ScopeNotGranted)) throw error;
    throw new AuthorizationError("invalid_scope", withoutScope(apis, client.scopes, error.scopes));
  }
}

/** Resources that tokens can be requested for with the code (RFC 8707 2.1); default: by the scopes, or the entity API. */
export function namedResources(apis: readonly Api[], issuer: string, { text, sent }: RequestParameters): string[] {
  try {
    const named = resourcesIn(apis, issuer, new URLSearchParams(text));
    return named.length > 0 ? named : [resourceImplied(apis, sent.scope) ?? ENTITY_API];
  } catch (error) {
    throw error instanceof InvalidTarget ? new AuthorizationError(error.code, error.message) : error;
  }
}

/** RFC 7636, only with S256; required for clients without a secret (RFC 9700 2.1.1). */
export function codeChallenge(client: Client, parameters: RequestParameters): string | undefined {
  const challenge = parameters.sent.code_challenge;
  const method = parameters.sent.code_challenge_method;
  if (challenge === undefined) {
    if (method) throw new AuthorizationError("invalid_request", "code_challenge is missing.");
    const isVouchedFor = client.clientType === "confidential" && client.documentUrl === null;
    if (isVouchedFor && client.securityProfile === "None") return undefined;
    throw new AuthorizationError("invalid_request", "This client must use PKCE: code_challenge is missing.");
  }
  if (method !== "S256") throw new AuthorizationError("invalid_request", "code_challenge_method must be S256.");
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new AuthorizationError(
      "invalid_request",
      "code_challenge must be a SHA-256 hash in base64url, 43 characters.",
    );
  }
  return challenge;
}

/** RFC 9449 10. */
export function dpopJkt(parameters: RequestParameters): string | undefined {
  const jkt = parameters.sent.dpop_jkt;
  if (jkt === undefined || /^[A-Za-z0-9_-]{43}$/.test(jkt)) return jkt;
  throw new AuthorizationError("invalid_request", "dpop_jkt must be a SHA-256 JWK thumbprint, 43 characters.");
}
