import { Type } from "@sinclair/typebox";
import {
  type FormField,
  type InputOf,
  integer,
  oneOrNone,
  orNull,
  type RecordOf,
  type RowOf,
  title,
} from "../../../platform/http/fields.ts";
import { record, SCOPE_LIST, SCOPE_TEXTS, SETTING } from "../../../records/index.ts";
import { CERTIFICATE_NAMES } from "../certificate.ts";
import { claimMappingField } from "../claim-mapping.ts";
import {
  ACCESS_TOKEN_ALGS,
  ACCESS_TOKEN_LIFETIME,
  ACCESS_TOKEN_TYPES,
  CLIENT_AUTH_METHODS,
  DEVICE_GRANT,
  ENTITY_TOKEN_ALG,
  EXCHANGE_GRANT,
  GRANT_TYPES,
  LOGOUT_TOKEN_TYPES,
  RESPONSE_ALGS,
  RESPONSE_TYPES,
  SECURITY_PROFILES,
  STANDARD_GRANT_TYPES,
  SUBJECT_TYPES,
} from "../contract.ts";
import { DEFAULT_SCOPES } from "../scope-parameter.ts";
import { choice, list, settable } from "./fields.ts";
import { jwksField } from "./jwks.ts";

export const MAX_REDIRECT_URIS = 50;
/** The maximum number of characters. */
const REDIRECT_URI_LIMIT = 2_000;
/** The maximum number of characters of a whole list, because policies may compare it many times. */
export const REDIRECT_URIS_LIMIT = 10_000;

/** The maximum number of characters. */
const JWKS_URI_LIMIT = 2_000;

/** The maximum number of characters. */
const CERTIFICATE_NAME_LIMIT = 1_000;

/** Seconds. */
const REFRESH_TOKEN_LIFETIME = [60, 365 * 86_400] as const;

const CLIENT_TYPES = ["confidential", "public", "native"] as const;

function uris(description: string, example: string[], form: FormField) {
  const one = Type.String({ maxLength: REDIRECT_URI_LIMIT });
  const documented = Type.String({ format: "uri", maxLength: REDIRECT_URI_LIMIT });
  const max = { maxItems: MAX_REDIRECT_URIS };
  const must =
    `must be a list of at most ${MAX_REDIRECT_URIS} addresses of at most ${REDIRECT_URI_LIMIT} characters, ` +
    `${REDIRECT_URIS_LIMIT} together.`;
  return {
    ...settable<string[]>(Type.Array(documented, max), must, [], { description, judged: true, form, example }),
    checked: orNull(Type.Array(one, max)),
    refuse(value: string[] | null) {
      return (value ?? []).join("").length > REDIRECT_URIS_LIMIT ? must : undefined;
    },
  };
}

function address(description: string, form: FormField) {
  return {
    ...title(JWKS_URI_LIMIT, { description, audit: "value", form: { type: "url", ...form }, example: "" }),
    take: (value: string | null) => value ?? "",
  };
}

const FIELDS = {
  RedirectUris: uris(
    "Addresses that users can return to, compared exactly. https, or http on 127.0.0.1, [::1] or " +
      "localhost: with any port for native clients, and for development otherwise.",
    ["https://payroll.example.com/callback"],
    {
      label: "Redirect URIs",
      hint: "One per line. Addresses that people can return to after signing in; compared exactly. https, or for development http on localhost.",
      rows: 4,
    },
  ),
  PostLogoutRedirectUris: uris("Addresses that users can return to after signing out.", [], {
    label: "Redirect URIs after sign-out",
    hint: "One per line.",
    rows: 3,
  }),
  BackchannelLogoutUri: title(REDIRECT_URI_LIMIT, {
    description:
      "Receives a logout token when a session ends in which a user signed in to the client (OpenID Connect " +
      "Back-Channel Logout 1.0). It must be https, and public unless EGRESS_ALLOW names it. Empty: no notification.",
    form: {
      label: "Back-channel logout URI",
      type: "url",
      hint: "An https address that receives a logout token as soon as a person signs out.",
    },
    example: "https://payroll.example.com/backchannel-logout",
  }),
  LogoutTokenType: choice(LOGOUT_TOKEN_TYPES, {
    description:
      "The `typ` of its logout tokens: that of OpenID Connect Back-Channel Logout 1.0, or `JWT` or none (empty) for " +
      "libraries that reject it.",
    audit: "value",
    form: {
      label: "Type of logout tokens",
      hint: "The typ in their header. Some libraries accept only JWT, or none.",
      words: { "logout+jwt": "logout+jwt (OpenID Connect)", "": "none" },
    },
    example: "logout+jwt",
  }),
  GrantTypes: list(GRANT_TYPES, STANDARD_GRANT_TYPES, {
    description:
      "The grants it may use at the token endpoint. The default of public and native clients " +
      "excludes client_credentials. No client has the device grant (RFC 8628) or " +
      "token exchange (RFC 8693) by default.",
    audit: "value",
    judged: true,
    form: {
      label: "Grants",
      words: {
        authorization_code: "authorization_code: people sign in",
        client_credentials: "client_credentials: the application calls as itself",
        refresh_token: "refresh_token: people stay signed in",
        [DEVICE_GRANT]: "device_code: people sign in a device without a browser",
        [EXCHANGE_GRANT]: "token-exchange: it calls other APIs on behalf of its users",
      },
    },
    example: [...STANDARD_GRANT_TYPES],
  }),
  ResponseTypes: list(RESPONSE_TYPES, RESPONSE_TYPES, {
    description: "The allowed response types; others are rejected.",
    audit: "value",
    form: {
      label: "Answers to authorization requests",
      words: { code: "code", "code id_token": "code id_token: hybrid" },
    },
    example: [...RESPONSE_TYPES],
  }),
  Scopes: settable<string[]>(SCOPE_LIST.schema, SCOPE_LIST.must, [...DEFAULT_SCOPES], {
    description: "The scopes it can request, of this service and of APIs.",
    audit: "value",
    judged: true,
    form: {
      label: "Scopes",
      explained: SCOPE_TEXTS,
      hint: "The maximum scopes. Policies decide access to single records.",
    },
    example: ["openid", "profile", "name"],
  }),
  ClientType: choice(CLIENT_TYPES, {
    description: "RFC 6749 2.1 and RFC 8252: public and native clients have no secret and no client_credentials.",
    audit: "value",
    judged: true,
    form: {
      label: "Client type",
      words: {
        confidential: "confidential: a server that can store a secret",
        public: "public: a page in a browser",
        native: "native: an app on a device",
      },
    },
    example: "confidential",
  }),
  TokenEndpointAuthMethod: oneOrNone(CLIENT_AUTH_METHODS, {
    description:
      "The only accepted authentication method. Empty: for confidential clients a secret in " +
      "the form or the Basic header, for others only the client_id.",
    audit: "value",
    judged: true,
    form: {
      label: "Client authentication",
      words: {
        "": "default for its type",
        client_secret_basic: "client_secret_basic: a secret in the Authorization header",
        client_secret_post: "client_secret_post: a secret in the form",
        private_key_jwt: "private_key_jwt: a JWT signed with its key",
        tls_client_auth: "tls_client_auth: a certificate with its name",
        none: "none: public clients",
      },
    },
    example: "",
  }),
  Jwks: jwksField,
  JwksUri: address(
    "The https address of its keys, instead of Jwks. They are fetched again after 5 minutes, and for an unknown key " +
      "at most every 30 seconds.",
    { label: "Address of its public keys", hint: "A JSON Web Key Set, instead of the above." },
  ),
  TlsClientAuthName: choice(CERTIFICATE_NAMES, {
    description: "The certificate field that identifies the client with tls_client_auth (RFC 8705 2.1.2).",
    audit: "value",
    form: {
      label: "Certificate field that identifies it",
      words: {
        SubjectDn: "SubjectDn: the distinguished name of the subject",
        SanDns: "SanDns: an alternative name that is a host",
        SanUri: "SanUri: an alternative name that is an address",
        SanIp: "SanIp: an alternative name that is an IP address",
        SanEmail: "SanEmail: an alternative name that is an e-mail address",
      },
    },
    example: "SubjectDn",
  }),
  TlsClientAuthValue: {
    ...title(CERTIFICATE_NAME_LIMIT, {
      description:
        "The value of that field. A distinguished name in RFC 4514 format: `openssl x509 -noout -subject -nameopt RFC2253` prints it.",
      audit: "value",
      form: { label: "Value of that field", hint: "Such as CN=payroll,O=Example,C=DE. Needed for tls_client_auth." },
      example: "",
    }),
    take: (value: string | null) => value ?? "",
  },
  AccessTokenAlg: choice(
    ACCESS_TOKEN_ALGS,
    {
      description:
        "The signature algorithm of its access tokens for the API of this service. Only that API verifies them; RS256 takes " +
        "ten times the CPU. Tokens for an Api have the Api's algorithm.",
      audit: "value",
      form: {
        label: "Signature of access tokens",
        hint: "For the API of this service, which verifies them itself.",
      },
      example: ENTITY_TOKEN_ALG,
    },
    ENTITY_TOKEN_ALG,
  ),
  AccessTokenType: choice(ACCESS_TOKEN_TYPES, {
    description: "The `typ` of its access tokens: RFC 9068's, or `JWT` for libraries that reject it.",
    audit: "value",
    form: {
      label: "Type of access tokens",
      hint: "The typ in their header. Some libraries accept only JWT.",
      words: { "at+jwt": "at+jwt (RFC 9068)" },
    },
    example: "at+jwt",
  }),
  AccessTokenLifetime: integer(...ACCESS_TOKEN_LIFETIME, "seconds", {
    description: "The lifetime of its access tokens. null: `TOKEN_LIFETIME`.",
    audit: "value",
    form: { label: "Lifetime of access tokens, seconds", hint: "Empty: the default." },
    example: null,
  }),
  RefreshTokenLifetime: integer(...REFRESH_TOKEN_LIFETIME, "seconds", {
    description:
      "The lifetime of refresh tokens since the grant, including refreshed ones. null: 90 days. For " +
      "client_credentials at most 30 days.",
    audit: "value",
    form: {
      label: "Lifetime of refresh tokens, seconds",
      hint: "Since the sign-in, including refreshed ones. Empty: 90 days.",
    },
    example: null,
  }),
  IdTokenAlg: choice(ACCESS_TOKEN_ALGS, {
    audit: "value",
    form: { label: "Signature of id_tokens" },
    example: "RS256",
  }),
  UserinfoAlg: choice(RESPONSE_ALGS, {
    description:
      "The signature algorithm of userinfo responses as JWTs with iss and aud (OpenID Connect Core 5.3.2). Empty: " +
      "plain JSON.",
    audit: "value",
    form: { label: "Signature of userinfo answers", words: { "": "none: plain JSON" } },
    example: "",
  }),
  IntrospectionAlg: choice(RESPONSE_ALGS, {
    description:
      "The signature algorithm of introspection responses as JWTs (RFC 9701), requested by Accept: " +
      "application/token-introspection+jwt. Empty: that of its id_tokens.",
    audit: "value",
    form: {
      label: "Signature of introspection answers",
      hint: "For responses requested as JWTs.",
      words: { "": "as its id_tokens" },
    },
    example: "",
  }),
  IdTokenClaims: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "The claims of the scopes profile, name, email and phone are in the id_token as well as in userinfo.",
    audit: "value",
    form: {
      label: "Name, e-mail and phone in the id_token too",
      hint: "For libraries that do not read userinfo.",
    },
    example: false,
  }),
  ClaimMapping: claimMappingField("id_tokens, userinfo, and access tokens for the API of this service"),
  SubjectType: choice(SUBJECT_TYPES, {
    description:
      "The `sub` of its users (OpenID Connect Core 8): the same for all clients, or one shared only by clients " +
      "of its sector.",
    audit: "value",
    form: {
      label: "Subject identifier of users",
      words: {
        public: "public: the same sub as for other applications",
        pairwise: "pairwise: a sub for its own sector",
      },
    },
    example: "public",
  }),
  SectorIdentifierUri: address(
    "For pairwise clients: an https address with a JSON list of all its RedirectUris (OpenID Connect Core 8.1); " +
      "its host is the sector. Empty: the one host of its RedirectUris.",
    { label: "Address of the sector's list", hint: "Needed if its redirect URIs have several hosts." },
  ),
  LogoUri: address("An https address of its logo: PNG, JPEG or WebP, at most 512 KiB. The consent page shows it.", {
    label: "Address of its logo",
    hint: "PNG, JPEG or WebP, at most 512 KiB. The consent page shows a re-encoded copy.",
  }),
  PolicyUri: address("Its privacy policy; the consent page links to it.", {
    label: "Address of its privacy policy",
    hint: "The consent page links to it.",
  }),
  TosUri: address("Its terms of service; the consent page links to them.", {
    label: "Address of its terms of service",
    hint: "The consent page links to them.",
  }),
  RequirePar: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "Authorization requests must be pushed and sent as `request_uri` (RFC 9126).",
    audit: "value",
    form: {
      label: "Require pushed authorization requests (PAR)",
      hint: "The application sends each to /oauth2/par first.",
    },
    example: false,
  }),
  RequireSignedRequestObject: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "Authorization requests must be signed `request` objects, pushed or not (RFC 9101).",
    audit: "value",
    form: {
      label: "Require signed authorization requests",
      hint: "The application sends each as a JWT signed with its key.",
    },
    example: false,
  }),
  DpopBound: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "It gets tokens only at /oauth2/token, bound to a key with DPoP (RFC 9449).",
    audit: "value",
    form: {
      label: "Require tokens bound to a key (DPoP)",
      hint: "A stolen token is useless without the key.",
    },
    example: false,
  }),
  SecurityProfile: choice(SECURITY_PROFILES, {
    description:
      "FAPI2: the FAPI 2.0 Security Profile. It needs RequirePar, DpopBound, private_key_jwt or tls_client_auth, and ES256 or EdDSA; then PKCE " +
      "is required, codes expire after 60 s, and RS256, hybrid responses and other audiences of an assertion are rejected.",
    audit: "value",
    form: {
      label: "Security profile",
      words: { None: "None", FAPI2: "FAPI2: the FAPI 2.0 Security Profile" },
      hint: "FAPI2 needs pushed requests, DPoP, private_key_jwt or tls_client_auth, and ES256 or EdDSA.",
    },
    example: "None",
  }),
  FirstParty: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "Users are not asked for consent.",
    audit: "value",
    judged: true,
    form: { label: "First-party: skip consent" },
    example: false,
  }),
};

/** Every Application has credentials, so they are not made or deleted separately. */
export const CREDENTIALS = record("Credentials", {
  table: "credentials",
  partOf: "Application",
  nouns: ["credentials", "credentials"],
  description: "The OAuth client settings of an Application.",
  scopes: SETTING,
  audit: "Credentials",
  fields: FIELDS,
});
export type Credentials = Omit<RowOf<typeof FIELDS>, "id">;
export type CredentialsInput = InputOf<typeof FIELDS>;
export type CredentialsRecord = RecordOf<typeof FIELDS>;
