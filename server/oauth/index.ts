export { API, type ApiRecord } from "./apis/contract.ts";
export { APIS } from "./apis/service.ts";
export { lockScopesOfApis, removeRestedAudiences } from "./apis/store.ts";
export { removeExpiredCodes, removeExpiredDevices, removeExpiredPushes } from "./authorize/index.ts";
export { CREDENTIALS, type CredentialsRecord, SECRET } from "./clients/contract.ts";
export { developmentUris, redirectUriProblem } from "./clients/credential-rules.ts";
export { credentialRoutes } from "./clients/routes.ts";
export { type ClientCredentials, MAX_SECRETS, makeClient, type SecretRecord } from "./clients/service.ts";
export { createOpenSubjectKey } from "./clients/subject-keys.ts";
export { deleteExpiredJwts } from "./clients/used-jwts.store.ts";
export type { Bindings, ConsoleClient } from "./console-client.ts";
export { CONSOLE_APPLICATION, CONSOLE_CALLBACK_PATH } from "./console-client.ts";
export { DEVICE_GRANT, EXCHANGE_GRANT, RFC_ERROR, SIGNING_ALGS, STANDARD_GRANT_TYPES } from "./contract.ts";
export {
  type BearerEndpoint,
  type BearerOperation,
  type FormEndpoint,
  type PageEndpoint,
  type PublicEndpoint,
  type Refusal,
  RFC_TAG,
  SIGN_IN_TAG,
  SPEC_TAG,
} from "./declared.ts";
export { metadata } from "./discovery.ts";
export { SPEC_PATHS, SPEC_TOKEN_PATH } from "./door.ts";
export { deleteExpiredProofs } from "./dpop/used-proofs.store.ts";
export { endpointRefusal, REFUSED_BY_ALL, tokenRefusal } from "./endpoint.ts";
export { ENDPOINTS } from "./endpoints.ts";
export { createKeyRotation, type KeyRotation } from "./keys/rotation.ts";
export { type PublishedKeys, type SigningKeyRecord, signingKeyRoutes } from "./keys/routes.ts";
export { createSigningKeys } from "./keys/signing-keys.ts";
export { createProvider } from "./provider.ts";
export {
  type AccessTokenRecord,
  type RegistrationAccessTokens,
  registrationAccessTokenRoutes,
} from "./registration/access-tokens.ts";
export {
  type InitialTokenRecord,
  type InitialTokens,
  initialTokenRoutes,
  MAX_INITIAL_TOKENS,
  NEW_TOKEN_BODY,
  REGISTRATION_TOKEN,
} from "./registration/initial-tokens.ts";
export { removeUnusedClients } from "./registration/service.ts";
export { DOCUMENT_MODES, REGISTRATION_MODES, removeSpentInitialTokens } from "./registration/store.ts";
export { RESOURCE_TYPES as OAUTH_RESOURCE_TYPES } from "./resource-types.ts";
export { scopesNow } from "./scopes.ts";
export { SEALED_BY_OAUTH } from "./sealed.ts";
export { deleteEndedFamilies } from "./tokens/families.store.ts";
export { createFamilies } from "./tokens/families.ts";
export { type HourOfTokens, removeOldIssued } from "./tokens/issued.store.ts";
export { createIssuedTokens, type IssuedTokens } from "./tokens/issued.ts";
export { type ClientSessionEnd, createLogoutTokens, type IssueLogoutToken } from "./tokens/logout-token.ts";
export { deleteExpiredRevocations } from "./tokens/revocations.store.ts";
export { createRevocations } from "./tokens/revoke.ts";
export { createTokens } from "./tokens/tokens.ts";
export type { Check, ReadToken, Trial, TrialOutcome, Trials } from "./trial.ts";
export { type UserGrantRecord, type UserGrants, userGrantRoutes } from "./user-grants.ts";
