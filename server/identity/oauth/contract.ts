import { type Static, Type } from "@sinclair/typebox";
import { word } from "../../platform/http/fields.ts";

/** RFC 8628 3.4. */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** RFC 8693 2.1. */
export const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
/** The supported token types of an exchange, two names for the same (RFC 8693 3). */
export const TOKEN_TYPES = [
  "urn:ietf:params:oauth:token-type:access_token",
  "urn:ietf:params:oauth:token-type:jwt",
] as const;
export const STANDARD_GRANT_TYPES = ["authorization_code", "client_credentials", "refresh_token"] as const;
export const GRANT_TYPES = [...STANDARD_GRANT_TYPES, DEVICE_GRANT, EXCHANGE_GRANT] as const;
export const RESPONSE_TYPES = ["code", "code id_token"] as const;
export const CLIENT_AUTH_METHODS = [
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
  "tls_client_auth",
  "none",
] as const;
/** Algorithms that clients may sign with. HMAC is missing, because it would require storing secrets in plain text. */
export const CLIENT_JWT_ALGS = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
/** Rules beyond those for all clients; FAPI2 is the FAPI 2.0 Security Profile. */
export const SECURITY_PROFILES = ["None", "FAPI2"] as const;
/** The `typ` of a logout token: Back-Channel Logout 2.4, or what some libraries accept; empty: none. */
export const LOGOUT_TOKEN_TYPES = ["logout+jwt", "JWT", ""] as const;
/** The `typ` of an access token: RFC 9068 2.1, or the only one that older libraries accept. */
export const ACCESS_TOKEN_TYPES = ["at+jwt", "JWT"] as const;
/** Signing algorithms (RFC 7518, RFC 8037), each with its own keys. */
export const SIGNING_ALGS = ["EdDSA", "RS256", "ES256"] as const;
export type SigningAlg = (typeof SIGNING_ALGS)[number];
/** Signing algorithms of tokens. The first is the default, because every library supports it. */
export const ACCESS_TOKEN_ALGS = ["RS256", "ES256", "EdDSA"] as const satisfies SigningAlg[];
/** The algorithm of tokens for the entity API. Only this service verifies them, and ES256 costs a tenth of RS256. */
export const ENTITY_TOKEN_ALG = "ES256" satisfies SigningAlg;
/** Algorithms of signed responses; "" is the standard's unsigned default. */
export const RESPONSE_ALGS = ["", ...ACCESS_TOKEN_ALGS] as const;
/** The minimum and maximum in seconds, as for TOKEN_LIFETIME. */
export const ACCESS_TOKEN_LIFETIME = [60, 86_400] as const;
/** Kinds of subject identifiers (OIDC Core 8). */
export const SUBJECT_TYPES = ["public", "pairwise"] as const;
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;
/** Signed variants of the response modes (JARM 2.3); `jwt` uses the default mode of the response_type. */
export const SIGNED_RESPONSE_MODES = ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"] as const;

const text = (description?: string) => Type.String(description ? { description } : {});
const may = (description?: string) => Type.Optional(text(description));
const maybeTrue = () => Type.Optional(Type.Boolean());
const address = (description: string) => Type.String({ format: "uri", description });
const secret = (description?: string) =>
  Type.Optional(Type.String({ format: "password", ...(description && { description }) }));
const CLIENT_ID = "The Application's Id.";
const RESOURCE =
  "The token's audience (RFC 8707): the Audience of an Api. Absent: the API that defines the requested scopes.";
const AUDIENCE = "As resource, for clients that send this instead.";
const SCOPE = { default: "openid profile name" };

const clientFields = {
  client_id: may(CLIENT_ID),
  client_secret: secret("One of its secrets."),
  client_assertion_type: may("urn:ietf:params:oauth:client-assertion-type:jwt-bearer, with client_assertion."),
  client_assertion: may("For private_key_jwt (RFC 7523): a JWT signed by the client."),
};

const authorizationRequest = <const Mode extends string>($id: string, modes: readonly Mode[]) =>
  Type.Object(
    {
      response_type: word(RESPONSE_TYPES, { description: "Must include code or code id_token." }),
      redirect_uri: address("Must match exactly one of the authorized redirect URIs configured for the client."),
      client_id: text(CLIENT_ID),
      response_mode: Type.Optional(word(modes, { description: "How the response is sent." })),
      scope: Type.Optional(Type.String({ ...SCOPE, description: "Space-delimited; `*` gives all scopes." })),
      state: may("Any string; returned unchanged."),
      nonce: may("Associates a client session with an ID token; mitigates replay."),
      code_challenge: may("PKCE (RFC 7636); required for public and native clients."),
      code_challenge_method: Type.Optional(word(["S256"], { description: "The challenge method." })),
      dpop_jkt: may("The thumbprint of the key that must redeem the code (RFC 9449 10)."),
      prompt: may(`Space-delimited: ${PROMPTS.join(", ")}.`),
      ui_locales: may("The preferred languages of the pages: BCP 47 tags, space-delimited."),
      max_age: Type.Optional(
        Type.Integer({ format: "int32", minimum: 0, description: "The maximum age of the sign-in in seconds." }),
      ),
      login_hint: may("The user name to prefill."),
      id_token_hint: may("An id_token of the expected user."),
      acr_values: may("Requested authentication context classes."),
      claims: may("Individually requested claims, in JSON (OIDC Core 5.5)."),
      resource: Type.Optional(address(RESOURCE)),
      audience: Type.Optional(address(AUDIENCE)),
      request: may("All parameters, signed by the client (RFC 9101); of the others only client_id is used."),
    },
    { $id },
  );

export const SPEC_AUTHORIZATION_REQUEST = authorizationRequest("AuthorizationRequest", RESPONSE_MODES);
export const AUTHORIZATION_REQUEST = authorizationRequest("Rfc6749AuthorizationRequest", [
  ...RESPONSE_MODES,
  ...SIGNED_RESPONSE_MODES,
]);

/** RFC 9126 2.1: an authorization request sent by the client itself. */
export const PUSHED_REQUEST = Type.Composite(
  // A request object in `request` replaces all other parameters.
  [Type.Partial(Type.Omit(AUTHORIZATION_REQUEST, ["client_id"])), Type.Object(clientFields)],
  { $id: "PushedAuthorizationRequest" },
);

/** RFC 9126 2.2. */
export const PUSHED_RESPONSE = Type.Object(
  {
    request_uri: text("Sent to the authorization endpoint by the browser, with the client_id."),
    expires_in: Type.Integer({ format: "int32", description: "Seconds within which the browser must open it." }),
  },
  { $id: "PushedAuthorizationResponse" },
);

/** RFC 8628 3.1. */
export const DEVICE_REQUEST = Type.Object(
  {
    ...clientFields,
    scope: Type.Optional(Type.String({ ...SCOPE, description: "Space-delimited; `*` gives all scopes." })),
    resource: Type.Optional(address(RESOURCE)),
    audience: Type.Optional(address(AUDIENCE)),
  },
  { $id: "DeviceAuthorizationRequest" },
);

/** RFC 8628 3.2. */
export const DEVICE_RESPONSE = Type.Object(
  {
    device_code: text("The device sends it when polling the token endpoint."),
    user_code: text("The code that the user types; case and separators are ignored."),
    verification_uri: address("Where the user types it."),
    verification_uri_complete: address("The same with the code, for a QR code. The user must still confirm."),
    expires_in: Type.Integer({ format: "int32", description: "Seconds within which the user must answer." }),
    interval: Type.Integer({ format: "int32", description: "Seconds between two polls." }),
  },
  { $id: "DeviceAuthorizationResponse" },
);

/** Request parameters that are recognized but not supported. */
export const REQUEST_OBJECT = Type.Object({ request_uri: may(), registration: may() });

export const LOGOUT_REQUEST = Type.Object(
  {
    id_token_hint: may("An id_token of the session to end; with it, the user is not asked."),
    client_id: may(CLIENT_ID),
    post_logout_redirect_uri: may("An address registered to the client."),
    state: may("Returned unchanged."),
    ui_locales: may("The preferred languages of the pages: BCP 47 tags, space-delimited."),
  },
  { $id: "LogoutRequest" },
);

export const TOKEN_REQUEST = Type.Object(
  {
    grant_type: word(GRANT_TYPES),
    ...clientFields,
    scope: Type.Optional(
      Type.String({
        ...SCOPE,
        description:
          "Space-delimited; `*` gives all scopes. `AccessManager:Create, Update` means AccessManager:Create and " +
          "AccessManager:Update.",
      }),
    ),
    code: may("For the authorization code grant."),
    redirect_uri: may("Optional; if sent, it must equal that of the authorization request."),
    code_verifier: may("PKCE (RFC 7636), if the authorization request had a challenge."),
    refresh_token: may("For the refresh grant."),
    device_code: may("For the device grant (RFC 8628)."),
    subject_token: may("For token exchange (RFC 8693): an access token of the user."),
    subject_token_type: may(`${TOKEN_TYPES.join(" or ")}, with subject_token.`),
    actor_token: may("For token exchange: an access token of the actor, issued to this client."),
    actor_token_type: may("The same types, with actor_token."),
    requested_token_type: may("For token exchange: the same types."),
    resource: Type.Optional(address(RESOURCE)),
    audience: Type.Optional(address(AUDIENCE)),
  },
  { $id: "TokenRequest" },
);

/** docs/behaviour.md "Token response". */
export const TOKEN_RESPONSE = Type.Object(
  {
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer({ format: "int32", description: "Lifetime of the access token in seconds." }),
    access_token: text("A JWT (RFC 9068)."),
    id_token: may("Returned in the authorization code grant when the openid scope was requested."),
    refresh_token: may(),
    scope: may("The granted scopes, if they differ from the requested ones (RFC 6749 5.1)."),
  },
  { $id: "TokenResponse" },
);

export const RFC_TOKEN_RESPONSE = Type.Object(
  {
    ...TOKEN_RESPONSE.properties,
    token_type: word(["Bearer", "DPoP"], { description: "DPoP: bound to a key (RFC 9449)." }),
    refresh_token: may("Absent for the client credentials grant (RFC 6749 4.4.3)."),
    scope: may("The granted scopes."),
    issued_token_type: may("For token exchange (RFC 8693 2.2.1)."),
  },
  { $id: "Rfc6749TokenResponse" },
);
/** docs/behaviour.md "Token response"; the RFC door always includes `scope`. */
export type TokenResponse = Static<typeof RFC_TOKEN_RESPONSE>;

export const TOKEN_REFERENCE = Type.Object(
  {
    token: text("An access token or a refresh token."),
    token_type_hint: may("Optional."),
    ...clientFields,
  },
  { $id: "TokenReference" },
);

const seconds = Type.Optional(Type.Integer({ format: "int64" }));

/** RFC 7662 2.2. */
export const INTROSPECTED = Type.Object(
  {
    active: Type.Boolean(),
    token_type: may(),
    scope: may(),
    client_id: may(),
    sub: may(),
    iss: may(),
    jti: may(),
    tenant: may(),
    acr: may(),
    aud: Type.Optional(Type.Unsafe<string | string[]>({ type: ["string", "array"], items: { type: "string" } })),
    amr: Type.Optional(Type.Array(Type.String())),
    iat: seconds,
    exp: seconds,
    auth_time: seconds,
    act: Type.Optional(
      Type.Object(
        { sub: text(), client_id: text() },
        { additionalProperties: true, description: "The actor (RFC 8693 4.1); it contains earlier actors." },
      ),
    ),
    cnf: Type.Optional(Type.Object({ jkt: text("The thumbprint of its key (RFC 9449 6.2).") })),
    exchange_scope: may(
      "For an exchanged token: the scopes that tokens exchanged from it can have for other audiences.",
    ),
  },
  { $id: "Introspection" },
);

/** RFC 6749 5.2. */
export const RFC_ERROR = Type.Object(
  { error: text(), error_description: text() },
  { $id: "Rfc6749Error", description: "RFC 6749 5.2." },
);

/** OIDC Discovery 3. */
export const PROVIDER_METADATA = Type.Object(
  {
    issuer: Type.String({ format: "uri" }),
    token_endpoint: Type.String({ format: "uri" }),
    jwks_uri: Type.String({ format: "uri" }),
  },
  { $id: "ProviderMetadata", additionalProperties: true },
);

/** RFC 7517 5. */
export const JSON_WEB_KEY_SET = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: text(),
        kid: text(),
        alg: text(),
        use: text(),
        crv: may(),
        x: may(),
        y: may(),
        n: may(),
        e: may(),
      }),
    ),
  },
  { $id: "JsonWebKeySet" },
);

/** OIDC Core 5.1. */
export const USER_INFO = Type.Object(
  {
    sub: text("`user-` and the User's Id."),
    name: may(),
    given_name: may(),
    family_name: may(),
    preferred_username: may(),
    middle_name: may(),
    nickname: may(),
    profile: may(),
    picture: may(),
    website: may(),
    gender: may(),
    birthdate: may(),
    zoneinfo: may(),
    locale: may(),
    email: may(),
    email_verified: maybeTrue(),
    phone_number: may(),
    phone_number_verified: maybeTrue(),
    address: Type.Optional(Type.Object({ formatted: Type.String() })),
    updated_at: Type.Optional(Type.Integer({ format: "int64", description: "Seconds since 1970." })),
  },
  { $id: "UserInfo" },
);
