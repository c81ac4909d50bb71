export { accountController } from "./account/account.tsx";
export { createCredentials, type EndGrants, endSessions } from "./account/credentials.ts";
export { type AccountReturns, createAccountReturns } from "./account/providers/link.tsx";
export { createLinkedAccounts } from "./account/providers/linked.ts";
export { type AccountDependencies, nameOf } from "./account/visit.ts";
export type { IdentityRecord } from "./administration/identities.ts";
export { IDENTITY_DATA } from "./administration/identities.ts";
export { USERS_TAG, userRoutes } from "./administration/routes.ts";
export type { FindUser } from "./administration/service.ts";
export {
  createUserAdministration,
  type FactorRecord,
  noFactor,
  type SessionRecord,
  type UserAdministration,
} from "./administration/service.ts";
export { type Cookies, createCookies, flashCookie, readFlash } from "./cookies.ts";
export { type PageEndpoints, pageEndpoint } from "./endpoint.tsx";
export { CHANGED_LINK, createCsrf, createForms, type Forms } from "./forms.ts";
export { forgiveGuess, type Guesser, takeGuess } from "./guesses.ts";
export { createKnownBrowsers, type KnownBrowsers } from "./known-browsers.ts";
export { digestOf, newOpaqueValue } from "./opaque.ts";
export {
  ChooseAccountPage,
  DeviceCodePage,
  FormPostPage,
  LinkPage,
  SignInPage,
  SignOutPage,
  UpstreamProblemPage,
} from "./pages.tsx";
export { createOwnPassword, createPasswords, hashPassword, type OwnPassword } from "./password.ts";
export { removeExpiredResets } from "./password-reset.store.ts";
export { SEALED as SEALED_BY_SIGN_IN } from "./sealed.ts";
export { asksPassword, type SentForm, takeCode, takeEnrolment } from "./second-factor/forms.ts";
export { EnrolPage, RecoveryCodesPage, SecondFactorPage } from "./second-factor/pages.tsx";
export { createSecondFactor, type Proposal, type SecondFactor } from "./second-factor/second-factor.ts";
export { ACR, type Session, type Sessions, type Visitor } from "./session.ts";
export { createSessions, IDLE_LIFETIME } from "./sessions.ts";
export { createSignIn, type SignIn } from "./sign-in.ts";
export { redirectTo, signOut } from "./sign-out.tsx";
export { holdActiveUser, removeExpiredSessions, removeForgottenDevices } from "./store.ts";
export { removeOldFailures } from "./throttle.store.ts";
export { type Trouble, throttled } from "./throttle.ts";
export { beginSessionByProvider } from "./upstream/accounts.ts";
export { failedBy, problemText, UpstreamFailure, type UpstreamProblem } from "./upstream/failure.ts";
export { type UpstreamIdentity, whoIs } from "./upstream/identity.ts";
export type { Provider } from "./upstream/providers/contract.ts";
export { PROVIDER, type ProviderRecord } from "./upstream/providers/contract.ts";
export { MAPPED, PROVIDER_TYPES } from "./upstream/providers/provider.ts";
export { DEFAULT_MAPPING, DEFAULT_SCOPES } from "./upstream/providers/record.ts";
export { PROVIDERS } from "./upstream/providers/routes.ts";
export type { Reservation } from "./upstream/providers/service.ts";
export { removeExpiredAttempts } from "./upstream/store.ts";
export { canSignInAnew, createUpstream, type OfferedProvider, type Upstream } from "./upstream/upstream.ts";
