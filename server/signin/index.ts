export { accountController } from "./account/account.tsx";
export { createCredentials, type EndGrants, endSessions } from "./account/credentials.ts";
export { createLinkedAccounts } from "./account/providers/linked.ts";
export { type AccountReturns, createAccountReturns } from "./account/providers/returns.ts";
export type { IdentityRecord } from "./administration/identities.ts";
export { IDENTITY_DATA } from "./administration/identities.ts";
export { USERS_TAG, userRoutes } from "./administration/routes.ts";
export {
  createUserAdministration,
  type FactorRecord,
  type SessionRecord,
  type UserAdministration,
} from "./administration/service.ts";
export { type Cookies, createCookies } from "./cookies.ts";
export { createCsrf } from "./csrf.ts";
export type { FindUser } from "./find-user.ts";
export { flashCookie, readFlash } from "./flash.ts";
export { createForms, type Forms } from "./forms.ts";
export { createKnownBrowsers, type KnownBrowsers } from "./known-browsers.ts";
export { digestOf, newOpaqueValue } from "./opaque.ts";
export { createOwnPassword, type OwnPassword } from "./own-password.ts";
export { Ask, type AskProps } from "./pages/ask.tsx";
export { attribute } from "./pages/attribute.ts";
export { ChooseAccountPage } from "./pages/choose-account.tsx";
export { ConsentPage } from "./pages/consent.tsx";
export { type PageEndpoints, pageEndpoint } from "./pages/endpoint.tsx";
export { FormPostPage } from "./pages/form-post.tsx";
export { Layout as CardPage, Mark } from "./pages/layout.tsx";
export { LinkPage } from "./pages/link.tsx";
export { MessagePage } from "./pages/message.tsx";
export { pageResponse } from "./pages/response.ts";
export { SignInPage } from "./pages/sign-in.tsx";
export { SignOutPage } from "./pages/sign-out.tsx";
export { CSS, createSite, createSiteOf, JAVASCRIPT, type Site, type SiteOf, TIME_SCRIPT } from "./pages/site.ts";
export { durationInWords, Sentence, Time } from "./pages/time.tsx";
export { UpstreamProblemPage } from "./pages/upstream-problem.tsx";
export { createPasswords, hashPassword } from "./password.ts";
export { removeExpiredResets } from "./password-reset/store.ts";
export { RESOURCE_TYPES as SIGN_IN_RESOURCE_TYPES } from "./resource-types.ts";
export { SEALED as SEALED_BY_SIGN_IN } from "./sealed.ts";
export { asksPassword, type SentForm, takeCode, takeEnrolment } from "./second-factor/forms.ts";
export { EnrolPage, RecoveryCodesPage, SecondFactorPage } from "./second-factor/pages.tsx";
export { createSecondFactor, type Proposal, type SecondFactor } from "./second-factor/second-factor.ts";
export { ACR, type Caller, createSessions, type Session, type Sessions } from "./sessions.ts";
export { createSignIn, type SignIn } from "./sign-in.ts";
export { holdActiveUser, removeExpiredSessions, removeForgottenDevices } from "./store.ts";
export { removeOldFailures } from "./throttle.store.ts";
export { type Trouble, throttled } from "./trouble.ts";
export { UpstreamFailure } from "./upstream/failure.ts";
export { type UpstreamIdentity, whoIs } from "./upstream/identity.ts";
export { failedBy, toldOf, type UpstreamProblem } from "./upstream/problems.ts";
export {
  PROVIDER,
  type ProviderContract,
  type ProviderRecord,
  providerContract,
} from "./upstream/providers/contract.ts";
export { createFindProviders } from "./upstream/providers/find.ts";
export { DEFAULT_MAPPING, DEFAULT_SCOPES } from "./upstream/providers/merge.ts";
export { providerRoutes } from "./upstream/providers/routes.ts";
export { createIdentityProviders, type IdentityProviders } from "./upstream/providers/service.ts";
export { MAPPED, PROVIDER_TYPES, type Provider } from "./upstream/providers/store.ts";
export { beginSessionByProvider } from "./upstream/session.ts";
export { removeExpiredAttempts } from "./upstream/store.ts";
export { canSignInAnew, createUpstream, type OfferedProvider, type Upstream } from "./upstream/upstream.ts";
