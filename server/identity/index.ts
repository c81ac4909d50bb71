// Identity: how people and clients sign in (signin/), the doors of OAuth and OpenID Connect above it (oauth/), tenants.
// It imports platform/, ui/, records/ and webhooks/.
// Begin with oauth/provider.ts, which composes the endpoints, then oauth/authorize/.

export { IDENTITY_EXPIRED } from "./expired.ts";
export type { LogoutRecord } from "./logouts/contract.ts";
export { createLogoutEngine, type LogoutEngine } from "./logouts/engine.ts";
export { LOGOUT_ID } from "./logouts/routes.ts";
export { createLogouts } from "./logouts/service.ts";
export * as mail from "./mail/index.ts";
export { API, type ApiRecord } from "./oauth/apis/contract.ts";
export { CREDENTIALS, type CredentialsRecord } from "./oauth/clients/contract.ts";
export { developmentUris } from "./oauth/clients/credential-rules.ts";
export { SECRET_DATA, type SecretRecord } from "./oauth/clients/secret.ts";
export { MAX_SECRETS, makeClient } from "./oauth/clients/service.ts";
export {
  type Bindings,
  CONSOLE_APPLICATION,
  CONSOLE_CALLBACK_PATH,
  type ConsoleClient,
} from "./oauth/console-client.ts";
export { DEVICE_GRANT, RFC_ERROR, SIGNING_ALGS } from "./oauth/contract.ts";
export * as declared from "./oauth/declared.ts";
export { metadata } from "./oauth/discovery.ts";
export { SPEC_PATHS, SPEC_TOKEN_PATH } from "./oauth/door.ts";
export { endpointRefusal, REFUSED_BY_ALL, tokenRefusal } from "./oauth/endpoint.ts";
export { ENDPOINTS } from "./oauth/endpoints.ts";
export { createKeyRotation, type KeyRotation } from "./oauth/keys/rotation.ts";
export type { SigningKeyRecord } from "./oauth/keys/routes.ts";
export { createProvider } from "./oauth/provider.ts";
export type { AccessTokenRecord } from "./oauth/registration/contract.ts";
export {
  type InitialTokenRecord,
  MAX_INITIAL_TOKENS,
  NEW_TOKEN_BODY,
} from "./oauth/registration/initial-tokens.ts";
export { RESOURCE_TYPES as OAUTH_RESOURCE_TYPES } from "./oauth/resource-types.ts";
export { SEALED_BY_OAUTH } from "./oauth/sealed.ts";
export type { HourOfTokens } from "./oauth/tokens/issued.store.ts";
export { createIssuedTokens, type IssuedTokens } from "./oauth/tokens/issued.ts";
export { scopesNow } from "./oauth/tokens/live-scopes.ts";
export type { Trial, TrialOutcome, Trials } from "./oauth/trial.ts";
export type { UserGrantRecord } from "./oauth/user-grant.ts";
export { type IdentityRoutes, identityRoutes } from "./routes.ts";
export {
  createSettings,
  SETTINGS,
  type SettingsKinds,
  type SettingsServices,
  servicesOf,
} from "./settings.ts";
export { ACCOUNT_PATH, accountSignIn } from "./signin/account/visit.ts";
export type { FactorRecord, IdentityRecord, SessionRecord } from "./signin/administration/contract.ts";
export { IDENTITY_DATA } from "./signin/administration/identities.ts";
export { type FindUser, noFactor } from "./signin/administration/service.ts";
export { type Cookies, flashCookie, readFlash } from "./signin/cookies.ts";
export { pageController } from "./signin/endpoint.tsx";
export type { Forms } from "./signin/forms.ts";
export * as invited from "./signin/invitations/contract.ts";
export { digestOf, newOpaqueValue } from "./signin/opaque.ts";
export { SEALED as SEALED_BY_SIGN_IN } from "./signin/sealed.ts";
export type { Session, Sessions } from "./signin/session.ts";
export { signOut } from "./signin/sign-out.tsx";
export { PROVIDER, type ProviderRecord } from "./signin/upstream/providers/contract.ts";
export { MAPPED, PROVIDER_TYPES } from "./signin/upstream/providers/provider.ts";
export { DEFAULT_MAPPING, DEFAULT_SCOPES } from "./signin/upstream/providers/record.ts";
export type { Reservation } from "./signin/upstream/providers/service.ts";
export type { Upstream } from "./signin/upstream/upstream.ts";
export {
  createOwnTenant,
  createTenant,
  createTenants,
  DEMO_REDIRECT_URIS,
  findTenant,
  type NewTenant,
  TENANT_SETTINGS,
  type Tenant,
  type Tenants,
  tenantCount,
  tryOutUris,
} from "./tenants/index.ts";
