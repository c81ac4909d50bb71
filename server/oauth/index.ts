export { AUTHORIZATION_PATHS, removeExpiredCodes } from "./authorize/index.ts";
export { developmentUris, redirectUriProblem } from "./clients/changes.ts";
export { hashSecret } from "./clients/client-authentication.ts";
export type { ConsentRecord, Consents } from "./clients/consents.ts";
export { consentRoutes } from "./clients/consents.ts";
export { CREDENTIALS, type CredentialsRecord } from "./clients/contract.ts";
export { credentialRoutes } from "./clients/routes.ts";
export {
  changeCredentials,
  MOST_SECRETS,
  makeClient,
  makeSecret,
  readCredentials,
  readSecrets,
  removeSecret,
  type SecretRecord,
} from "./clients/service.ts";
export type { Bindings, SettingsClient } from "./clients/settings-client.ts";
export { SETTINGS_APPLICATION, SETTINGS_CALLBACK_PATH } from "./clients/settings-client.ts";
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
export { type Door, SPEC_PATHS, SPEC_TOKEN_PATH } from "./door.ts";
export { endpointRefusal, TokenError, tokenRefusal } from "./endpoint.ts";
export { GRANT_TYPES } from "./grants/index.ts";
export {
  replaceSigningKeys,
  requireSigningKeys,
  rotateSigningKeys,
  SEALED as SEALED_BY_OAUTH,
  SIGNING_ALGS,
} from "./keys/rotation.ts";
export { readSigningKeys, type SigningKeyRecord, signingKeyRoutes } from "./keys/routes.ts";
export { createSigningKeys } from "./keys/signing-keys.ts";
export { createProvider } from "./provider.ts";
export { RESOURCE_TYPES as OAUTH_RESOURCE_TYPES } from "./resource-types.ts";
export { scopesNow } from "./scopes.ts";
export { createFamilies, removeEndedFamilies } from "./tokens/families.ts";
export { deleteExpiredRevocations } from "./tokens/revocations.store.ts";
export { createRevocations } from "./tokens/revoke.ts";
export { createTokens } from "./tokens/tokens.ts";
