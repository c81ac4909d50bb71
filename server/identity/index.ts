// Identity: how people and clients sign in (signin/), the doors of OAuth and OpenID Connect above it (oauth/), tenants.
// It imports platform/, ui/, records/ and webhooks/.
// Begin with oauth/provider.ts, which composes the endpoints, then oauth/authorize/.

export { IDENTITY_EXPIRED } from "./expired.ts";
export type { LogoutRecord } from "./logouts/contract.ts";
export { createLogoutEngine } from "./logouts/logout-engine.ts";
export { LOGOUT_ID } from "./logouts/routes.ts";
export { createLogouts } from "./logouts/service.ts";
export * as mail from "./mail/index.ts";
export { API, type ApiRecord } from "./oauth/apis/contract.ts";
export { CREDENTIALS, type CredentialsRecord } from "./oauth/clients/contract.ts";
export { developmentUris } from "./oauth/clients/credential-rules.ts";
export { SECRET_DATA, type SecretRecord } from "./oauth/clients/secret.ts";
export { MAX_SECRETS, makeClient } from "./oauth/clients/service.ts";
export {
  CONSOLE_APPLICATION,
  CONSOLE_CALLBACK_PATH,
} from "./oauth/console-client.ts";
export { DEVICE_GRANT, SIGNING_ALGS } from "./oauth/contract.ts";
export { metadata } from "./oauth/discovery.ts";
export * as documented from "./oauth/documented.ts";
export { SPEC_PATHS } from "./oauth/door.ts";
export { endpointRefusal } from "./oauth/endpoint.ts";
export { createKeyRotation } from "./oauth/keys/key-rotation.ts";
export { createProvider } from "./oauth/provider.ts";
export type { AccessTokenRecord } from "./oauth/registration/contract.ts";
export {
  type InitialTokenRecord,
  MAX_INITIAL_TOKENS,
  NEW_TOKEN_BODY,
} from "./oauth/registration/initial-tokens.ts";
export { RESOURCE_TYPES as OAUTH_RESOURCE_TYPES } from "./oauth/resource-types.ts";
export * as signing from "./oauth/signing.ts";
export { createIssuedTokens } from "./oauth/tokens/issued.ts";
export { scopesNow } from "./oauth/tokens/live-scopes.ts";
export type { TrialOutcome } from "./oauth/trial.ts";
export type { UserGrantRecord } from "./oauth/user-grant.ts";
export { type IdentityRoutes, identityRoutes } from "./routes.ts";
export * as scim from "./scim/index.ts";
export { SEALED_BY_IDENTITY } from "./sealed.ts";
export type { IdentityServices } from "./services.ts";
export {
  createSettings,
  SETTINGS,
  type SettingsKinds,
  servicesOf,
} from "./settings.ts";
export { ACCOUNT_PATH, accountSignIn } from "./signin/account/visit.ts";
export type { FactorRecord, IdentityRecord, PasskeyRecord, SessionRecord } from "./signin/administration/contract.ts";
export { IDENTITY_DATA } from "./signin/administration/identities.ts";
export { noFactor } from "./signin/administration/service.ts";
export type { Cookies } from "./signin/cookies.ts";
export { pageController } from "./signin/endpoint.tsx";
export * as imports from "./signin/invitations/imports/index.ts";
export { digestOf, newOpaqueValue } from "./signin/opaque.ts";
export type { Session } from "./signin/session.ts";
export { signOut } from "./signin/sign-out.tsx";
export { PROVIDER, type ProviderRecord } from "./signin/upstream/providers/contract.ts";
export * as providerWords from "./signin/upstream/providers/provider-words.ts";
export * as tenants from "./tenants/index.ts";
