// The OAuth credentials of an Application.

import { Type } from "@sinclair/typebox";
import { ANY_SCOPE, DEFAULT_SCOPES, SCOPE_TEXTS, SCOPES_MUST } from "../../access/index.ts";
import { body } from "../../http/contract.ts";
import { type FormField, field, type InputOf, integer, orNull, type RecordOf, text, word } from "../../http/fields.ts";
import { record, SETTING } from "../../records/index.ts";
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
  RESPONSE_ALGS,
  RESPONSE_TYPES,
  SECURITY_PROFILES,
  STANDARD_GRANT_TYPES,
  SUBJECT_TYPES,
} from "../contract.ts";
import type { ClientAuthMethod, ClientType } from "./credentials.ts";
import { choice, list, settable } from "./fields.ts";
import { jwksField } from "./jwks.ts";

export const MAX_REDIRECT_URIS = 50;
/** Characters. */
const REDIRECT_URI_LIMIT = 2_000;
/** Characters of a whole list, because policies may compare it many times. */
export const REDIRECT_URIS_LIMIT = 10_000;

/** Characters. */
const JWKS_URI_LIMIT = 2_000;

/** Characters. */
const CERTIFICATE_NAME_LIMIT = 1_000;

/** Seconds. */
const REFRESH_TOKEN_LIFETIME = [60, 365 * 86_400] as const;

const CLIENT_TYPES: ClientType[] = ["confidential", "public", "native"];

function uris(description: string, example: string[], form: FormField) {
  const one = Type.String({ maxLength: REDIRECT_URI_LIMIT });
  const documented = Type.String({ format: "uri", maxLength: REDIRECT_URI_LIMIT });
  const most = { maxItems: MAX_REDIRECT_URIS };
  const must =
    `must be a list of at most ${MAX_REDIRECT_URIS} addresses of at most ${REDIRECT_URI_LIMIT} characters, ` +
    `${REDIRECT_URIS_LIMIT} together.`;
  return {
    ...settable<string[]>(Type.Array(documented, most), must, [], { description, judged: true, form, example }),
    checked: orNull(Type.Array(one, most)),
    refuse(value: string[] | null) {
      return (value ?? []).join("").length > REDIRECT_URIS_LIMIT ? must : undefined;
    },
  };
}

function address(description: string, form: FormField) {
  return {
    ...text(JWKS_URI_LIMIT, { description, audit: "value", form: { type: "url", ...form }, example: "" }),
    take: (value: string | null) => value ?? "",
  };
}

const FIELDS = {
  RedirectUris: uris(
    "Where users may be sent back to; compared as they are written. https, or http on 127.0.0.1, [::1] or " +
      "localhost: of a native client with any port, of others for development.",
    ["https://payroll.example.com/callback"],
    {
      label: "Redirect URIs",
      hint: "One a line. Where people may be sent back to after signing in; compared exactly. https, or for development http on localhost.",
      rows: 4,
    },
  ),
  PostLogoutRedirectUris: uris("Where users may be sent after they have signed out.", [], {
    label: "Redirect URIs after sign-out",
    hint: "One a line.",
    rows: 3,
  }),
  BackchannelLogoutUri: text(REDIRECT_URI_LIMIT, {
    description:
      "Where a logout token is posted to when a session ends in which a user has signed in to it (OpenID Connect " +
      "Back-Channel Logout 1.0). It must be https, and public unless EGRESS_ALLOW names it. Empty: it is told nothing.",
    form: {
      label: "Back-channel logout URI",
      type: "url",
      hint: "Where it is told at once that a person has signed out: an https address that takes logout tokens.",
    },
    example: "https://payroll.example.com/backchannel-logout",
  }),
  GrantTypes: list(GRANT_TYPES, STANDARD_GRANT_TYPES, {
    description:
      "The grants it may use at the token endpoint. The default of public and native clients, and what they come to " +
      "have if nobody chose others, is without client_credentials. No client has the device grant (RFC 8628) or " +
      "token exchange (RFC 8693) by default.",
    audit: "value",
    judged: true,
    form: {
      label: "Grants",
      words: {
        authorization_code: "authorization_code: people sign in",
        client_credentials: "client_credentials: the application itself calls",
        refresh_token: "refresh_token: stays signed in",
        [DEVICE_GRANT]: "device_code: people sign a device in that has no browser",
        [EXCHANGE_GRANT]: "token-exchange: it calls on in the name of people whose tokens it has",
      },
    },
    example: [...STANDARD_GRANT_TYPES],
  }),
  ResponseTypes: list(RESPONSE_TYPES, RESPONSE_TYPES, {
    description: "What its authorization requests may ask for; others are refused.",
    audit: "value",
    form: {
      label: "Answers to authorization requests",
      words: { code: "code", "code id_token": "code id_token: hybrid" },
    },
    example: [...RESPONSE_TYPES],
  }),
  Scopes: settable<string[]>(Type.Array(ANY_SCOPE), SCOPES_MUST, [...DEFAULT_SCOPES], {
    description: "What it may ask for: scopes of this service, and of APIs.",
    audit: "value",
    judged: true,
    form: {
      label: "Scopes",
      explained: SCOPE_TEXTS,
      hint: "The most it can ask for. What it may do to a record is for the policies to say.",
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
        confidential: "confidential: a server that keeps a secret",
        public: "public: a page in a browser, which keeps none",
        native: "native: an app on a device",
      },
    },
    example: "confidential",
  }),
  TokenEndpointAuthMethod: field<ClientAuthMethod | null, ClientAuthMethod | "">({
    description:
      "The one way in which it proves who it is; every other is refused. Empty: a confidential client by a secret in " +
      "the form or the Basic header, others by their client_id alone.",
    sent: word(["", ...CLIENT_AUTH_METHODS]),
    checked: orNull(word(["", ...CLIENT_AUTH_METHODS])),
    shown: word(["", ...CLIENT_AUTH_METHODS]),
    must: `must be ${CLIENT_AUTH_METHODS.join(" or ")}, or empty.`,
    take: (value: ClientAuthMethod | "" | null) => value || null,
    show: (stored) => (stored as ClientAuthMethod | null) ?? "",
    audit: "value",
    judged: true,
    form: {
      label: "How it proves who it is",
      words: {
        "": "as its type has it",
        client_secret_basic: "client_secret_basic: a secret in the Authorization header",
        client_secret_post: "client_secret_post: a secret in the form",
        private_key_jwt: "private_key_jwt: a JWT signed by its own key",
        tls_client_auth: "tls_client_auth: a certificate with its name",
        none: "none: public clients",
      },
    },
    example: "",
  }),
  Jwks: jwksField,
  JwksUri: {
    ...text(JWKS_URI_LIMIT, {
      description:
        "Where it publishes its keys, https; in place of Jwks. They are read again after 5 minutes, and for a key that " +
        "is not known, at most every 30 seconds.",
      audit: "value",
      form: { label: "Address of its public keys", hint: "A JSON Web Key Set, in place of the above.", type: "url" },
      example: "",
    }),
    take: (value: string | null) => value ?? "",
  },
  TlsClientAuthName: choice(CERTIFICATE_NAMES, {
    description: "Which name in the certificate of tls_client_auth is the client's (RFC 8705 2.1.2).",
    audit: "value",
    form: {
      label: "Which name in its certificate is its own",
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
    ...text(CERTIFICATE_NAME_LIMIT, {
      description:
        "That name. A distinguished name as RFC 4514 writes it: `openssl x509 -noout -subject -nameopt RFC2253` prints it.",
      audit: "value",
      form: { label: "That name", hint: "Such as CN=payroll,O=Example,C=DE. Needed for tls_client_auth." },
      example: "",
    }),
    take: (value: string | null) => value ?? "",
  },
  AccessTokenAlg: choice(
    ACCESS_TOKEN_ALGS,
    {
      description:
        "What its access tokens for the API of this service are signed by. That API alone verifies them; RS256 costs it " +
        "ten times as much. Tokens for an Api are signed as the Api says.",
      audit: "value",
      form: {
        label: "Signature of access tokens",
        hint: "Of those for the API of this service, which verifies them itself.",
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
    description: "How long an access token of its can be used. null: `TOKEN_LIFETIME`.",
    audit: "value",
    form: { label: "Lifetime of access tokens, seconds", hint: "Empty: as for all applications." },
    example: null,
  }),
  RefreshTokenLifetime: integer(...REFRESH_TOKEN_LIFETIME, "seconds", {
    description:
      "How long after the grant a refresh token can be used, however often it is refreshed. null: 90 days. A client's " +
      "own is good for 30 days at most.",
    audit: "value",
    form: {
      label: "Lifetime of refresh tokens, seconds",
      hint: "From the sign-in on, however often they are refreshed. Empty: 90 days.",
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
      "What its userinfo answers are signed by, as JWTs with iss and aud (OpenID Connect Core 5.3.2). Empty: they are " +
      "plain JSON.",
    audit: "value",
    form: { label: "Signature of userinfo answers", words: { "": "none: plain JSON" } },
    example: "",
  }),
  IntrospectionAlg: choice(RESPONSE_ALGS, {
    description:
      "What introspection answers are signed by that it asks for as JWTs (RFC 9701), by Accept: " +
      "application/token-introspection+jwt. Empty: as its id_tokens.",
    audit: "value",
    form: {
      label: "Signature of introspection answers",
      hint: "Of those that it asks for as JWTs.",
      words: { "": "as its id_tokens" },
    },
    example: "",
  }),
  IdTokenClaims: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description:
      "The claims of the scopes profile, name, email and phone stand in the id_token too, not in userinfo alone.",
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
      "What the `sub` of its users is (OpenID Connect Core 8): the same as for other clients, or one that only clients " +
      "of its sector share.",
    audit: "value",
    form: {
      label: "How it knows its users",
      words: {
        public: "public: by the same sub as other applications",
        pairwise: "pairwise: by a sub of its own sector",
      },
    },
    example: "public",
  }),
  SectorIdentifierUri: {
    ...text(JWKS_URI_LIMIT, {
      description:
        "Of a pairwise client: an https address whose JSON list has all of its RedirectUris (OpenID Connect Core 8.1); " +
        "its host is the sector. Empty: the one host of its RedirectUris.",
      audit: "value",
      form: {
        label: "Address that lists its sector",
        hint: "Needed if its redirect URIs have several hosts.",
        type: "url",
      },
      example: "",
    }),
    take: (value: string | null) => value ?? "",
  },
  LogoUri: address("An https address of its logo: PNG, JPEG or WebP, at most 512 KiB. The consent page shows it.", {
    label: "Address of its logo",
    hint: "PNG, JPEG or WebP, at most 512 KiB. The consent page shows it, made anew by Gatehouse.",
  }),
  PolicyUri: address("Where its privacy policy is; the consent page links to it.", {
    label: "Address of its privacy policy",
    hint: "The consent page links to it.",
  }),
  TosUri: address("Where its terms of service are; the consent page links to them.", {
    label: "Address of its terms of service",
    hint: "The consent page links to them.",
  }),
  RequirePar: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "Its authorization requests are taken by `request_uri` alone, pushed beforehand (RFC 9126).",
    audit: "value",
    form: {
      label: "Authorization requests have to be pushed (PAR)",
      hint: "The application sends each to /oauth2/par first.",
    },
    example: false,
  }),
  RequireSignedRequestObject: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "Its authorization requests are taken as a signed `request` alone, pushed or not (RFC 9101).",
    audit: "value",
    form: {
      label: "Authorization requests have to be signed",
      hint: "The application sends each as a JWT signed by its own key.",
    },
    example: false,
  }),
  DpopBound: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description:
      "It is given tokens at /oauth2/token alone, and only such as are bound to a key that it proves by DPoP (RFC 9449).",
    audit: "value",
    form: {
      label: "Tokens have to be bound to a key (DPoP)",
      hint: "A stolen token is then of no use without the key.",
    },
    example: false,
  }),
  SecurityProfile: choice(SECURITY_PROFILES, {
    description:
      "FAPI2: the FAPI 2.0 Security Profile. It needs RequirePar, DpopBound, private_key_jwt or tls_client_auth, and ES256 or EdDSA; then PKCE " +
      "is demanded, codes live for 60 s, and RS256, hybrid answers and other audiences of an assertion are refused.",
    audit: "value",
    form: {
      label: "Security profile",
      words: { None: "None", FAPI2: "FAPI2: the FAPI 2.0 Security Profile" },
      hint: "FAPI2 needs pushed requests, DPoP, private_key_jwt or tls_client_auth, and ES256 or EdDSA.",
    },
    example: "None",
  }),
  FirstParty: settable<boolean>(Type.Boolean(), "must be true or false.", false, {
    description: "Users are not asked for their consent.",
    audit: "value",
    judged: true,
    form: { label: "It is our own: its users are not asked for consent" },
    example: false,
  }),
};

/** Every Application has some, so none are made or deleted. */
export const CREDENTIALS = record("Credentials", {
  table: "credentials",
  nouns: ["credentials", "credentials"],
  description: "What makes an Application an OAuth client.",
  scopes: SETTING,
  audit: "Credentials",
  fields: FIELDS,
});
export type CredentialsInput = InputOf<typeof FIELDS>;
export type CredentialsRecord = RecordOf<typeof FIELDS>;

/** Characters. */
const SECRET_NAME_LIMIT = 100;

const SECRET_FIELDS = {
  Name: text(SECRET_NAME_LIMIT, { description: "Distinguishes it from others, such as by where it is used." }),
};

export const SECRET = body({ name: "Secret", $id: "SecretData" }, SECRET_FIELDS);
export type SecretInput = InputOf<typeof SECRET_FIELDS>;
