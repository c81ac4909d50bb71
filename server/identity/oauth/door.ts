/** The paths of docs/behaviour.md, or those of /oauth2, which follow the RFCs strictly. */
export type Door = "spec" | "rfc";

/** OIDC Core 11 allows ignoring offline_access. Here the client's grant types decide about refresh tokens. */
export const IGNORED_SCOPES: Record<Door, readonly string[]> = { spec: [], rfc: ["offline_access"] };

export const SPEC_AUTHORIZATION_PATH = "/oauth/authorize";
export const SPEC_TOKEN_PATH = "/oAuth/rest/v2/Token";
export const SPEC_PATHS = [SPEC_AUTHORIZATION_PATH, SPEC_TOKEN_PATH];

export const AUTHORIZATION_PATH = "/oauth2/authorize";
export const PUSHED_REQUEST_PATH = "/oauth2/par";
export const DEVICE_AUTHORIZATION_PATH = "/oauth2/device_authorization";
export const RFC_TOKEN_PATH = "/oauth2/token";
export const REGISTRATION_PATH = "/oauth2/register";
/** The prefix before a dynamically registered client_id. */
export const CLIENT_PATH = "/oauth2/clients";
export const USERINFO_PATH = "/oauth2/userinfo";
export const REVOCATION_PATH = "/oauth2/revoke";
export const INTROSPECTION_PATH = "/oauth2/introspect";
export const END_SESSION_PATH = "/oauth2/logout";
export const JWKS_PATH = "/.well-known/jwks.json";
