// A client's metadata (RFC 7591 2), and the fields of Application and Credentials that its members become.

import { Type } from "@sinclair/typebox";
import { BadInput } from "../../errors.ts";
import { isObject } from "../../http/body.ts";
import type { CertificateName } from "../clients/certificate.ts";
import { CREDENTIALS, toCredentialsRecord } from "../clients/contract.ts";
import { changedCredentials, type Possible, requireSound } from "../clients/credential-rules.ts";
import { requireListed, type SectorListing } from "../clients/sector.ts";
import type { Credentials } from "../clients/store.ts";
import {
  CLIENT_AUTH_METHODS,
  DEVICE_GRANT,
  EXCHANGE_GRANT,
  GRANT_TYPES,
  RESPONSE_TYPES,
  SUBJECT_TYPES,
} from "../contract.ts";
import { TokenError } from "../endpoint.ts";

/** Those that are fields of Credentials by other names; absent is the field's default. */
const FIELDS = {
  redirect_uris: "RedirectUris",
  post_logout_redirect_uris: "PostLogoutRedirectUris",
  backchannel_logout_uri: "BackchannelLogoutUri",
  jwks: "Jwks",
  jwks_uri: "JwksUri",
  id_token_signed_response_alg: "IdTokenAlg",
  subject_type: "SubjectType",
  sector_identifier_uri: "SectorIdentifierUri",
  require_pushed_authorization_requests: "RequirePar",
  require_signed_request_object: "RequireSignedRequestObject",
  dpop_bound_access_tokens: "DpopBound",
} as const;

/** RFC 8705 2.1.2: the one of them that it has is the value of its TlsClientAuthName. */
const CERTIFICATE_FIELDS: Record<string, CertificateName> = {
  tls_client_auth_subject_dn: "SubjectDn",
  tls_client_auth_san_dns: "SanDns",
  tls_client_auth_san_uri: "SanUri",
  tls_client_auth_san_ip: "SanIp",
  tls_client_auth_san_email: "SanEmail",
};

/** All that a client may say, by the field that it becomes. */
const NAMES: Record<string, string> = {
  ...FIELDS,
  grant_types: "GrantTypes",
  token_endpoint_auth_method: "TokenEndpointAuthMethod",
  "the name of its certificate": "TlsClientAuthValue",
  scope: "Scopes",
};

/** A device's code can be sent to anybody, in the name of any application (RFC 8628 5.4). */
const NEED_INITIAL_TOKEN: string[] = ["client_credentials", DEVICE_GRANT, EXCHANGE_GRANT];

/** Characters. */
const NAME_LIMIT = 100;
const URI_LIMIT = 2_000;
/** They would make a name look like another one, or change how the text around it is read (RFC 7591 5). */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
const UNNAMED = "Registered application";

const texts = (description?: string) => Type.Array(Type.String(), description ? { description } : {});
const text = (description?: string) => Type.String(description ? { description } : {});
const may = Type.Optional;

/** What this service knows of it; other members are ignored (RFC 7591 2). */
const METADATA = {
  redirect_uris: may(texts("Needed with the grant authorization_code.")),
  post_logout_redirect_uris: may(texts()),
  backchannel_logout_uri: may(text()),
  grant_types: may(texts(`Of ${GRANT_TYPES.join(", ")}; by default authorization_code.`)),
  response_types: may(texts(`Of ${RESPONSE_TYPES.join(", ")}.`)),
  token_endpoint_auth_method: may(text(`One of ${CLIENT_AUTH_METHODS.join(", ")}; by default a secret in either way.`)),
  application_type: may(text("web or native (OpenID Connect Dynamic Client Registration 2).")),
  jwks: may(Type.Object({}, { additionalProperties: true })),
  jwks_uri: may(text()),
  ...Object.fromEntries(Object.keys(CERTIFICATE_FIELDS).map((name) => [name, may(text())])),
  scope: may(text("Space-delimited; by default all that the tenant allows such a client.")),
  id_token_signed_response_alg: may(text()),
  authorization_signed_response_alg: may(text("The same as id_token_signed_response_alg (JARM 3).")),
  subject_type: may(text(`${SUBJECT_TYPES.join(" or ")}.`)),
  sector_identifier_uri: may(text()),
  require_pushed_authorization_requests: may(Type.Boolean()),
  require_signed_request_object: may(Type.Boolean()),
  dpop_bound_access_tokens: may(Type.Boolean()),
  client_name: may(text("What people see.")),
  client_uri: may(text()),
};

export const CLIENT_METADATA = Type.Object(METADATA, { $id: "ClientMetadata", additionalProperties: true });

/** RFC 7591 3.2.1 and RFC 7592 3. */
export const CLIENT_INFORMATION = Type.Object(
  {
    client_id: text(),
    client_id_issued_at: Type.Integer({ format: "int64", description: "Seconds since 1970." }),
    client_secret: may(text("Shown where it is made, and never again.")),
    client_secret_expires_at: may(Type.Integer({ format: "int64", description: "0: it does not." })),
    registration_access_token: text("By which the client reads and changes this; each change gives another."),
    registration_client_uri: Type.String({ format: "uri" }),
    ...METADATA,
  },
  { $id: "ClientInformation" },
);

/** What a client has said. */
export interface ClientMetadata {
  credentials: Credentials;
  name: string;
  webSite: string;
}

/** What a client may have. */
export interface Bounds {
  /** In any order; those it gets if it asks for none. */
  scopes: readonly string[];
  /** Nobody vouches for it. */
  isOpen: boolean;
}

/**
 * The whole of what a client is to be: what is absent goes back to its default.
 * @param before what it is
 * @throws TokenError invalid_redirect_uri, invalid_client_metadata (RFC 7591 3.2.2)
 */
export function readMetadata(
  sent: unknown,
  before: Credentials,
  bounds: Bounds,
  possible: Possible,
  listing: SectorListing | undefined,
): ClientMetadata {
  if (!isObject(sent)) throw invalid("the body must be a JSON object");
  const name = shortText(sent, "client_name", NAME_LIMIT) ?? UNNAMED;
  if (INVISIBLE.test(name)) throw invalid("client_name must have no characters that cannot be seen");
  const webSite = shortText(sent, "client_uri", URI_LIMIT) ?? "";
  if (webSite !== "" && !/^https?:$/.test(protocolOf(webSite))) throw invalid("client_uri must be an https address");
  const fields = Object.entries(FIELDS).map(([own, field]) => [field, sent[own] ?? null]);
  const shape = {
    ...Object.fromEntries(fields),
    ...certificateOf(sent),
    // Libraries that do not choose send a secret in the form or in the header.
    TokenEndpointAuthMethod: sent.token_endpoint_auth_method ?? null,
    ClientType: clientTypeOf(sent),
    GrantTypes: sent.grant_types ?? ["authorization_code"],
    Scopes: scopesOf(sent.scope, bounds),
  };
  const credentials = inWordsOfMetadata(() => {
    const after = changedCredentials(before, CREDENTIALS.parse(shape));
    requireSound(after, before, possible);
    requireListed(after, before, listing);
    return after;
  });
  consistent(sent, credentials, bounds);
  return { credentials, name, webSite };
}

/** What it has registered, as RFC 7591 says it; what is empty is left out. */
export function toMetadata(credentials: Credentials, { name, webSite }: Omit<ClientMetadata, "credentials">) {
  const record: Record<string, unknown> = toCredentialsRecord(credentials);
  const told = Object.entries(FIELDS).map(([own, field]) => [own, record[field]]);
  const filled = told.filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
  const certificate = Object.entries(CERTIFICATE_FIELDS).filter(([, name]) => name === credentials.tlsClientAuthName);
  return {
    ...Object.fromEntries(filled),
    ...(credentials.tlsClientAuthValue && { [certificate[0]![0]]: credentials.tlsClientAuthValue }),
    grant_types: credentials.grantTypes,
    response_types: credentials.grantTypes.includes("authorization_code") ? [...RESPONSE_TYPES] : [],
    token_endpoint_auth_method: methodOf(credentials),
    authorization_signed_response_alg: credentials.idTokenAlg,
    application_type: credentials.clientType === "native" ? "native" : "web",
    scope: credentials.scopes.join(" "),
    client_name: name,
    ...(webSite && { client_uri: webSite }),
  };
}

/** Whether it proves itself by a secret. */
export function needsSecret(credentials: Credentials): boolean {
  return methodOf(credentials).startsWith("client_secret");
}

/** An administrator may have left it to the client. */
function methodOf({ tokenEndpointAuthMethod, clientType }: Credentials): string {
  return tokenEndpointAuthMethod ?? (clientType === "confidential" ? "client_secret_basic" : "none");
}

/** RFC 7591 2: as application_type says; without it, a client without a secret and an https address is native. */
function clientTypeOf({ token_endpoint_auth_method: method, application_type: type, redirect_uris: uris }: Sent) {
  if (type !== undefined && type !== "web" && type !== "native")
    throw invalid("application_type must be web or native");
  if (method !== "none") return "confidential";
  const isWeb = Array.isArray(uris) && uris.some((uri) => typeof uri === "string" && protocolOf(uri) === "https:");
  return (type ?? (isWeb ? "web" : "native")) === "web" ? "public" : "native";
}

type Sent = Record<string, unknown>;

/** RFC 8705 2.1.2: a client has one of them. */
function certificateOf(sent: Sent) {
  const said = Object.keys(CERTIFICATE_FIELDS).filter((name) => (sent[name] ?? "") !== "");
  if (said.length > 1) throw invalid(`${said.join(" and ")} cannot stand beside each other`);
  const [name] = said;
  return {
    TlsClientAuthName: name === undefined ? null : CERTIFICATE_FIELDS[name],
    TlsClientAuthValue: name === undefined ? null : sent[name],
  };
}

function scopesOf(scope: unknown, { scopes }: Bounds): string[] {
  if (scope === undefined || scope === null) return [...scopes];
  if (typeof scope !== "string") throw invalid("scope must be a string");
  const asked = scope.split(" ").filter(Boolean);
  const beyond = asked.filter((one) => !scopes.includes(one) && one !== "offline_access");
  if (beyond.length > 0) throw invalid(`scope must be of ${scopes.join(" ")}`);
  return asked.filter((one) => scopes.includes(one));
}

/** RFC 7591 2.1. */
function consistent(sent: Sent, credentials: Credentials, bounds: Bounds): void {
  const { grantTypes, redirectUris, idTokenAlg, subjectType } = credentials;
  const { response_types: types, authorization_signed_response_alg: alg } = sent;
  if ((alg ?? idTokenAlg) !== idTokenAlg) {
    throw invalid(`authorization_signed_response_alg must be ${idTokenAlg}, as id_token_signed_response_alg is`);
  }
  const known: readonly unknown[] = RESPONSE_TYPES;
  if (types !== undefined && !(Array.isArray(types) && types.every((type) => known.includes(type)))) {
    throw invalid(`response_types must be a list of ${RESPONSE_TYPES.join(", ")}`);
  }
  const usesCodes = grantTypes.includes("authorization_code");
  if (Array.isArray(types) && types.length > 0 && !usesCodes) {
    throw invalid("response_types needs authorization_code among grant_types");
  }
  if (usesCodes && redirectUris.length === 0) {
    throw new TokenError("invalid_request", "redirect_uris is missing.", "invalid_redirect_uri");
  }
  // A code comes to the host of redirect_uris alone, so a client gains nothing by naming another's. A device's tokens do not.
  if (subjectType === "pairwise" && grantTypes.includes(DEVICE_GRANT)) {
    throw invalid(`subject_type is pairwise, which a client with ${DEVICE_GRANT} gets from an administrator alone`);
  }
  const vouched = bounds.isOpen ? grantTypes.find((grant) => NEED_INITIAL_TOKEN.includes(grant)) : undefined;
  if (vouched) throw invalid(`grant_types has ${vouched}, which needs an initial access token`);
}

function shortText(sent: Sent, name: string, limit: number): string | undefined {
  const value = sent[name];
  if (value === undefined || value === null) return undefined;
  const isText = typeof value === "string" && value.trim() !== "" && value.length <= limit;
  if (isText && !value.includes("\0") && value.isWellFormed()) return value.trim();
  throw invalid(`${name} must be a string of 1 to ${limit} characters`);
}

function protocolOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).protocol : "";
}

/** Tells the contract's problems by the names of the metadata. @throws TokenError */
function inWordsOfMetadata<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const isOfRedirects = /^(RedirectUris|PostLogoutRedirectUris)\b/.test(error.message);
    const told = Object.entries(NAMES).reduce(
      (message, [own, field]) => message.replace(new RegExp(`\\b${field}\\b`, "g"), own),
      error.message,
    );
    throw new TokenError("invalid_request", told, isOfRedirects ? "invalid_redirect_uri" : "invalid_client_metadata");
  }
}

/**
 * The address that lists its sector.
 * @throws TokenError for a client that nobody vouches for: it must not make us send requests
 */
export function sectorNamed(body: unknown, { isOpen }: Pick<Bounds, "isOpen">): string {
  const { sector_identifier_uri: uri } = (body ?? {}) as Sent;
  if (typeof uri !== "string" || uri === "") return "";
  if (isOpen) throw invalid("sector_identifier_uri needs an initial access token");
  return uri;
}

export function invalid(problem: string): TokenError {
  return new TokenError("invalid_request", `The metadata is refused: ${problem}.`, "invalid_client_metadata");
}
