export { AUTHORIZATION_PATHS, removeExpiredCodes } from "./authorize/index.ts";
export { hashSecret } from "./client-authentication.ts";
export { consentRoutes } from "./consents/routes.ts";
export type { ConsentRecord, Consents } from "./consents/service.ts";
export {
  AUTHORIZATION_REQUEST,
  INTROSPECTION,
  JSON_WEB_KEY_SET,
  LOGOUT_REQUEST,
  PROVIDER_METADATA,
  RFC_ERROR,
  RFC_TOKEN_RESPONSE,
  TOKEN_REFERENCE,
  TOKEN_REQUEST,
  TOKEN_RESPONSE,
  USER_INFO,
} from "./contract.ts";
export { CREDENTIALS, type CredentialsRecord } from "./credentials/contract.ts";
export { developmentUris, redirectUriProblem } from "./credentials/redirect-uri.ts";
export { credentialRoutes } from "./credentials/routes.ts";
export {
  changeCredentials,
  MOST_SECRETS,
  makeClient,
  makeSecret,
  readCredentials,
  readSecrets,
  removeSecret,
  type SecretRecord,
} from "./credentials/service.ts";
export { type Door, SPEC_PATHS, SPEC_TOKEN_PATH } from "./door.ts";
export { createFamilies, removeEndedFamilies } from "./families/families.ts";
export { GRANT_TYPES } from "./grants/index.ts";
export { SEALED as SEALED_BY_OAUTH, SIGNING_ALGS } from "./keys/algorithms.ts";
export { replaceSigningKeys, requireSigningKeys, rotateSigningKeys } from "./keys/rotation.ts";
export { signingKeyRoutes } from "./keys/routes.ts";
export { readSigningKeys, type SigningKeyRecord } from "./keys/service.ts";
export { createSigningKeys } from "./keys/signing-keys.ts";
export { createProvider } from "./provider.ts";
export { RESOURCE_TYPES as OAUTH_RESOURCE_TYPES } from "./resource-types.ts";
export { createRevocations } from "./revocations/revocations.ts";
export { deleteExpiredRevocations } from "./revocations/store.ts";
export { scopesNow } from "./scopes.ts";
export { SETTINGS_APPLICATION, SETTINGS_CALLBACK_PATH } from "./settings-client/credentials.ts";
export type { Bindings, SettingsClient } from "./settings-client/settings-client.ts";
export { endpointRefusal, TokenError, tokenRefusal } from "./token-error.ts";
export { createTokens } from "./tokens/tokens.ts";
