// Client metadata (RFC 7591 2), and the fields of Application and Credentials that it maps to.

import { Type } from "@sinclair/typebox";
import { readUrl } from "../../../platform/address.ts";
import { BadInput } from "../../../platform/errors.ts";
import { isObject } from "../../../platform/http/body.ts";
import { asTyped, isText } from "../../../platform/text.ts";
import type { CertificateName } from "../certificate.ts";
import type { Ceiling } from "../clients/ceilings.store.ts";
import type { Credentials } from "../clients/contract.ts";
import { CREDENTIALS, MAX_REDIRECT_URIS } from "../clients/contract.ts";
import {
  canBeLinked,
  changedCredentials,
  isLoopback,
  OF_CONFIDENTIAL,
  type Possible,
  requireSound,
} from "../clients/credential-rules.ts";
import { requireListed, type SectorListing } from "../clients/sector.ts";
import {
  ACCESS_TOKEN_ALGS,
  CLIENT_AUTH_METHODS,
  DEVICE_GRANT,
  EXCHANGE_GRANT,
  GRANT_TYPES,
  RESPONSE_TYPES,
  SUBJECT_TYPES,
} from "../contract.ts";
import { TokenError } from "../errors.ts";
import { withinCeiling, withoutGiven } from "./ceiling.ts";

/** Members with a corresponding Credentials field; an absent member means the field's default. */
const FIELDS = {
  redirect_uris: "RedirectUris",
  post_logout_redirect_uris: "PostLogoutRedirectUris",
  backchannel_logout_uri: "BackchannelLogoutUri",
  jwks: "Jwks",
  jwks_uri: "JwksUri",
  id_token_signed_response_alg: "IdTokenAlg",
  userinfo_signed_response_alg: "UserinfoAlg",
  introspection_signed_response_alg: "IntrospectionAlg",
  subject_type: "SubjectType",
  sector_identifier_uri: "SectorIdentifierUri",
  require_pushed_authorization_requests: "RequirePar",
  require_signed_request_object: "RequireSignedRequestObject",
  dpop_bound_access_tokens: "DpopBound",
  logo_uri: "LogoUri",
  policy_uri: "PolicyUri",
  tos_uri: "TosUri",
} as const;

/** Members with fixed values; an unsupported value is replaced by the default. */
const WORDS = new Map<string, readonly string[]>([
  ["id_token_signed_response_alg", ACCESS_TOKEN_ALGS],
  ["userinfo_signed_response_alg", ACCESS_TOKEN_ALGS],
  ["introspection_signed_response_alg", ACCESS_TOKEN_ALGS],
  ["subject_type", SUBJECT_TYPES],
]);

/** RFC 8705 2.1.2: the member that is present determines TlsClientAuthName. */
const CERTIFICATE_FIELDS: Record<string, CertificateName> = {
  tls_client_auth_subject_dn: "SubjectDn",
  tls_client_auth_san_dns: "SanDns",
  tls_client_auth_san_uri: "SanUri",
  tls_client_auth_san_ip: "SanIp",
  tls_client_auth_san_email: "SanEmail",
};

const NAMES: Record<string, string> = {
  ...FIELDS,
  grant_types: "GrantTypes",
  response_types: "ResponseTypes",
  token_endpoint_auth_method: "TokenEndpointAuthMethod",
  "the name in its certificate": "TlsClientAuthValue",
  scope: "Scopes",
};

/** A device code can be sent to anyone, in any application's name (RFC 8628 5.4). */
const NEED_INITIAL_TOKEN: string[] = ["client_credentials", DEVICE_GRANT, EXCHANGE_GRANT];

/** The maximum number of characters. */
const NAME_LIMIT = 100;
const URI_LIMIT = 2_000;
/** Characters that make a name resemble a different one, or change the direction of surrounding text (RFC 7591 5). */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
/** Invisible characters in their place: within emoji, and joiners within the scripts that are written with them. */
const JOINED = new RegExp(
  "\\p{RGI_Emoji}|\\p{Extended_Pictographic}\\ufe0f|(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?)\\u200d(?=\\p{Extended_Pictographic})|" +
    "(?<=[\\p{scx=Arab}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}])" +
    "[\\u200c\\u200d](?=\\p{L})",
  "gv",
);
const UNNAMED = "Registered application";

const texts = (description?: string) => Type.Array(Type.String(), description ? { description } : {});
const text = (description?: string) => Type.String(description ? { description } : {});
const may = Type.Optional;

/** Supported members; others are ignored (RFC 7591 2). */
const METADATA = {
  redirect_uris: may(texts("Required with the grant authorization_code.")),
  post_logout_redirect_uris: may(texts()),
  backchannel_logout_uri: may(text()),
  grant_types: may(texts(`Any of ${GRANT_TYPES.join(", ")}; by default authorization_code.`)),
  response_types: may(texts(`Any of ${RESPONSE_TYPES.join(", ")}; by default code.`)),
  token_endpoint_auth_method: may(text(`One of ${CLIENT_AUTH_METHODS.join(", ")}; by default a secret in either way.`)),
  application_type: may(text("web or native (OpenID Connect Dynamic Client Registration 2).")),
  jwks: may(Type.Object({}, { additionalProperties: true })),
  jwks_uri: may(text()),
  ...Object.fromEntries(Object.keys(CERTIFICATE_FIELDS).map((name) => [name, may(text())])),
  scope: may(text("Space-delimited; by default all that the tenant allows such a client.")),
  id_token_signed_response_alg: may(text()),
  userinfo_signed_response_alg: may(text("Userinfo is then a JWT (OpenID Connect Core 5.3.2); by default plain JSON.")),
  introspection_signed_response_alg: may(text("RFC 9701 6; by default as id_token_signed_response_alg.")),
  authorization_signed_response_alg: may(text("The same as id_token_signed_response_alg (JARM 3).")),
  subject_type: may(text(`${SUBJECT_TYPES.join(" or ")}.`)),
  sector_identifier_uri: may(text()),
  require_pushed_authorization_requests: may(Type.Boolean()),
  require_signed_request_object: may(Type.Boolean()),
  dpop_bound_access_tokens: may(Type.Boolean()),
  client_name: may(text("Shown to people.")),
  client_uri: may(text()),
  logo_uri: may(text("An https address of a PNG, JPEG or WebP, which the consent page shows.")),
  policy_uri: may(text()),
  tos_uri: may(text()),
};

export const CLIENT_METADATA = Type.Object(METADATA, { $id: "ClientMetadata", additionalProperties: true });

/** RFC 7591 3.2.1 and RFC 7592 3. */
export const CLIENT_INFORMATION = Type.Object(
  {
    client_id: text(),
    client_id_issued_at: Type.Integer({ format: "int64", description: "Seconds since 1970." }),
    client_secret: may(text("Returned once, when created.")),
    client_secret_expires_at: may(Type.Integer({ format: "int64", description: "0: never." })),
    registration_access_token: text("Lets the client read and change this; each change returns a new one."),
    registration_client_uri: Type.String({ format: "uri" }),
    ...METADATA,
    ignored_metadata: may(texts("Sent members without an effect here.")),
  },
  { $id: "ClientInformation" },
);

export interface ClientMetadata {
  credentials: Credentials;
  name: string;
  webSite: string;
}

export interface Bounds {
  /** The scopes, in any order. */
  scopes: readonly string[];
  /** Used if no requested scope is allowed. */
  standardScopes: readonly string[];
  grants?: readonly string[];
  /** Registered without an initial access token. */
  isOpen: boolean;
}

/**
 * Absent members get their default, and unsupported ones are left out (RFC 7591 3.2.1).
 * @throws TokenError invalid_redirect_uri, invalid_client_metadata (RFC 7591 3.2.2)
 */
export function readMetadata(
  sent: unknown,
  before: Credentials,
  bounds: Bounds,
  possible: Possible,
  listing: SectorListing | undefined,
  ceiling?: Ceiling,
): ClientMetadata {
  if (!isObject(sent)) throw invalid("the body must be a JSON object");
  const given = shortText(sent, "client_name", NAME_LIMIT) ?? UNNAMED;
  if (INVISIBLE.test(given.replace(JOINED, ""))) throw invalid("client_name must not contain invisible characters");
  const { text: name, problem } = asTyped(given, NAME_LIMIT);
  if (name === undefined) throw invalid(`client_name ${problem}`);
  const webSite = shortText(sent, "client_uri", URI_LIMIT) ?? "";
  if (webSite !== "" && !canBeLinked(webSite)) throw invalid("client_uri must be an https address without a user name");
  const fields = Object.entries(FIELDS).map(([own, field]) => [
    field,
    isOtherWord(own, sent[own]) ? null : (sent[own] ?? null),
  ]);
  const shape = {
    ...Object.fromEntries(fields),
    ...certificateOf(sent),
    LogoUri: typeof sent.logo_uri === "string" && !possible.checkUrl(sent.logo_uri) ? sent.logo_uri : null,
    ...typeAndGrantsOf(sent, bounds),
    Scopes: scopesOf(sent.scope, bounds),
  };
  const asked = inWordsOfMetadata(() => changedCredentials(before, CREDENTIALS.parse(shape)));
  consistent(asked);
  const credentials = ceiling ? withoutGiven(before, withinCeiling(before, asked, ceiling), ceiling) : asked;
  inWordsOfMetadata(() => {
    requireSound(credentials, before, possible);
    requireListed(credentials, before, listing);
  });
  return { credentials, name, webSite };
}

/** Lists members without effect, so clients do not rely on them (RFC 7591 3.2.1). */
export function ignoredOf(sent: unknown): { ignored_metadata?: string[] } {
  const others = Object.keys(sent as Sent).filter(
    (name) => !Object.hasOwn(METADATA, name) && !NO_METADATA.includes(name),
  );
  const shown = others.slice(0, MAX_IGNORED).map((name) => name.slice(0, NAME_LIMIT));
  return shown.length > 0 ? { ignored_metadata: shown } : {};
}

const NO_METADATA = ["client_id", "client_secret"];
const MAX_IGNORED = 100;

/** The registration in RFC 7591 form; empty values are omitted. */
export function toMetadata(credentials: Credentials, { name, webSite }: Omit<ClientMetadata, "credentials">) {
  const record: Record<string, unknown> = CREDENTIALS.toRecord(credentials);
  const fields = Object.entries(FIELDS).map(([own, field]) => [own, record[field]]);
  const filled = fields.filter(
    ([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length),
  );
  const certificate = Object.entries(CERTIFICATE_FIELDS).filter(([, name]) => name === credentials.tlsClientAuthName);
  return {
    ...Object.fromEntries(filled),
    ...(credentials.tlsClientAuthValue && { [certificate[0]![0]]: credentials.tlsClientAuthValue }),
    grant_types: credentials.grantTypes,
    response_types: credentials.grantTypes.includes("authorization_code") ? credentials.responseTypes : [],
    token_endpoint_auth_method: methodOf(credentials),
    authorization_signed_response_alg: credentials.idTokenAlg,
    application_type: credentials.clientType === "native" ? "native" : "web",
    scope: credentials.scopes.join(" "),
    client_name: name,
    ...(webSite && { client_uri: webSite }),
  };
}

export function needsSecret(credentials: Credentials): boolean {
  return methodOf(credentials).startsWith("client_secret");
}

/** The default if the method was never set. */
function methodOf({ tokenEndpointAuthMethod, clientType }: Credentials): string {
  return tokenEndpointAuthMethod ?? (clientType === "confidential" ? "client_secret_basic" : "none");
}

function typeAndGrantsOf(sent: Sent, bounds: Bounds) {
  const { application_type: type = null, redirect_uris: uris } = sent;
  if (type !== null && typeof type !== "string") throw invalid("application_type must be a string");
  const own: unknown[] = Array.isArray(uris) ? uris.slice(0, MAX_REDIRECT_URIS) : [];
  const urls = own.flatMap((uri) => (typeof uri === "string" && readUrl(uri)) || []);
  const hasOwnScheme = urls.some(({ protocol }) => protocol !== "https:" && protocol !== "http:");
  const method = methodAsked(sent, hasOwnScheme);
  const isOnDevice = hasOwnScheme || urls.some(isLoopback) || !urls.some(({ protocol }) => protocol === "https:");
  const isNative = hasOwnScheme || type === "native" || (type !== "web" && isOnDevice);
  const ClientType = method !== "none" ? "confidential" : isNative ? "native" : "public";
  const GrantTypes = grantsOf(sent, ClientType, bounds);
  const ResponseTypes = responseTypesOf(sent, GrantTypes.includes("authorization_code"));
  // Libraries without a choice send the secret either in the form or in the header.
  return { TokenEndpointAuthMethod: method ?? null, ClientType, GrantTypes, ResponseTypes };
}

const isOtherWord = (name: string, value: unknown) =>
  typeof value === "string" && WORDS.get(name)?.includes(value) === false;

/** An app with a private-use scheme cannot keep a secret (RFC 8252 8.5); an unknown method counts as absent. */
function methodAsked({ token_endpoint_auth_method: asked }: Sent, hasOwnScheme: boolean): string | undefined {
  if (asked !== undefined && asked !== null && typeof asked !== "string") {
    throw invalid("token_endpoint_auth_method must be a string");
  }
  const known = CLIENT_AUTH_METHODS.find((method) => method === asked);
  return hasOwnScheme && (known === undefined || known.startsWith("client_secret")) ? "none" : known;
}

function grantsOf(sent: Sent, clientType: string, { isOpen, grants = [] }: Bounds): string[] {
  const asked = textsOf(sent, "grant_types", ["authorization_code"]);
  const isVouchedFor = (grant: string) => !isOpen || grants.includes(grant) || !NEED_INITIAL_TOKEN.includes(grant);
  const ofType = GRANT_TYPES.filter((grant) => clientType === "confidential" || !OF_CONFIDENTIAL.includes(grant));
  const given = ofType.filter((grant) => asked.includes(grant) && isVouchedFor(grant));
  if (given.length > 0 || asked.length === 0) return given;
  const withheld = ofType.find((grant) => asked.includes(grant));
  throw invalid(
    withheld
      ? `grant_types has ${withheld}, which needs an initial access token`
      : `grant_types must be a list of ${GRANT_TYPES.join(", ")}, and client_credentials requires a secret`,
  );
}

/** Accepts the words of a type in any order. */
function responseTypesOf(sent: Sent, usesCodes: boolean): string[] {
  const asked = textsOf(sent, "response_types", []).map((type) => type.split(" ").sort().join(" "));
  const given = RESPONSE_TYPES.filter((type) => asked.includes(type));
  if (asked.length > 0 && given.length === 0) {
    throw invalid(`response_types must be a list of ${RESPONSE_TYPES.join(", ")}`);
  }
  if (given.length > 0 && !usesCodes) throw invalid("response_types needs authorization_code among grant_types");
  return given.length > 0 ? given : ["code"];
}

function textsOf(sent: Sent, name: string, standard: string[]): string[] {
  const asked = sent[name] ?? standard;
  if (Array.isArray(asked) && asked.every((one) => typeof one === "string")) return asked;
  throw invalid(`${name} must be a list of strings`);
}

type Sent = Record<string, unknown>;

/** RFC 8705 2.1.2: a client has exactly one of them. */
function certificateOf(sent: Sent) {
  const said = Object.keys(CERTIFICATE_FIELDS).filter((name) => (sent[name] ?? "") !== "");
  if (said.length > 1) throw invalid(`${said.join(" and ")} cannot be combined`);
  const [name] = said;
  return {
    TlsClientAuthName: name === undefined ? null : CERTIFICATE_FIELDS[name],
    TlsClientAuthValue: name === undefined ? null : sent[name],
  };
}

/** The requested scopes that are allowed; many programs request only scopes of a different service. */
function scopesOf(scope: unknown, { scopes, standardScopes }: Bounds): string[] {
  if (scope !== undefined && scope !== null && typeof scope !== "string") throw invalid("scope must be a string");
  const known = new Set(scopes);
  const given = [...new Set((scope ?? "").split(" "))].filter((one) => known.has(one));
  return given.length > 0 ? given : [...standardScopes];
}

/** RFC 7591 2.1. */
function consistent(credentials: Credentials): void {
  const { grantTypes, redirectUris, subjectType } = credentials;
  if (grantTypes.includes("authorization_code") && redirectUris.length === 0) {
    throw new TokenError("invalid_request", "redirect_uris is missing.", "invalid_redirect_uri");
  }
  // Codes go only to the host of redirect_uris, so naming a foreign host gains nothing. Device tokens do not.
  if (subjectType === "pairwise" && grantTypes.includes(DEVICE_GRANT)) {
    throw invalid(`subject_type is pairwise, which a client with ${DEVICE_GRANT} can get only from an administrator`);
  }
}

function shortText(sent: Sent, name: string, limit: number): string | undefined {
  const value = sent[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (isText(value, limit) && value.trim() !== "") return value.trim();
  throw invalid(`${name} must be a string of 1 to ${limit} characters`);
}

/** Converts field names in the contract's problems to metadata names. @throws TokenError */
function inWordsOfMetadata<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const isOfRedirects = /^(RedirectUris|PostLogoutRedirectUris)\b/.test(error.message);
    const message = Object.entries(NAMES).reduce(
      (message, [own, field]) => message.replace(new RegExp(`\\b${field}\\b`, "g"), own),
      error.message,
    );
    throw new TokenError(
      "invalid_request",
      message,
      isOfRedirects ? "invalid_redirect_uri" : "invalid_client_metadata",
    );
  }
}

/** The address of the sector's list. @throws TokenError for an unvouched client, which must not trigger requests */
export function sectorNamed(body: unknown, { isOpen }: Pick<Bounds, "isOpen">): string {
  const { sector_identifier_uri: uri } = (body ?? {}) as Sent;
  if (typeof uri !== "string" || uri === "") return "";
  if (isOpen) throw invalid("sector_identifier_uri needs an initial access token");
  return uri;
}

export function invalid(problem: string): TokenError {
  return new TokenError("invalid_request", `The metadata is invalid: ${problem}.`, "invalid_client_metadata");
}
