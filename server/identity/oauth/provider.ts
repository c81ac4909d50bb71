// The OAuth 2.0 and OpenID Connect provider, composed from its parts.

import { Elysia } from "elysia";
import type { Logger } from "pino";
import { urlOf } from "../../platform/address.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { Egress } from "../../platform/egress/index.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { DeviceStep } from "../../platform/metrics/index.ts";
import type { Vault } from "../../platform/vault.ts";
import type { Access, bearerTokens } from "../../records/index.ts";
import { sites } from "../../ui/index.ts";
import { findFace } from "../branding/face.store.ts";
import type { Mailer } from "../mail/index.ts";
import { accountController } from "../signin/account/account.tsx";
import { createCredentials } from "../signin/account/own-credentials.ts";
import { createAccountReturns } from "../signin/account/providers/link.tsx";
import { createLinkedAccounts } from "../signin/account/providers/linked.ts";
import { createTakeBack } from "../signin/account/take-back.ts";
import { type AccountDependencies, accountSignIn } from "../signin/account/visit.ts";
import { createUserAdministration, type FindUser } from "../signin/administration/service.ts";
import { createCookies } from "../signin/cookies.ts";
import { pageController } from "../signin/endpoint.tsx";
import { createCsrf, createForms } from "../signin/forms.ts";
import { createImportCredentials } from "../signin/imported-passwords.ts";
import { createAcceptance } from "../signin/invitations/accept.ts";
import { createInvitationReturns, invitationProviderPages } from "../signin/invitations/by-provider.tsx";
import { invitationPages } from "../signin/invitations/pages.tsx";
import { createKnownBrowsers } from "../signin/known-browsers.ts";
import { languagePages } from "../signin/languages.ts";
import { createForgottenPasswords } from "../signin/links/forgotten.ts";
import { createConfirmAddress, createWarnOfDevice, createWarnOwner } from "../signin/links/mailed.ts";
import { createPasskeys } from "../signin/passkeys/passkeys.ts";
import { createOwnPassword, createPasswordProblem, createPasswords } from "../signin/password.ts";
import { createSecondFactor } from "../signin/second-factor/second-factor.ts";
import { createSessions } from "../signin/sessions.ts";
import { createSignIn } from "../signin/sign-in.ts";
import { signUpLinkPages } from "../signin/sign-ups/pages.tsx";
import { createSignUps, createTellApproved } from "../signin/sign-ups/sign-ups.ts";
import { createUpstream } from "../signin/upstream/upstream.ts";
import { createApplications, createEndGrants, createEndGrantsBy } from "./account.ts";
import { createKnownApis } from "./apis/known-apis.ts";
import {
  authorizeController,
  createDevices,
  createPushedRequests,
  createRequestObjects,
  deviceAuthorizationController,
  pushController,
} from "./authorize/index.ts";
import {
  type AuthenticateClient,
  authenticateBySecret,
  authenticateClient,
  createOnRefusedClient,
  strangersNetwork,
} from "./clients/client-authentication.ts";
import { createClientKeys } from "./clients/client-keys.ts";
import { createKnownClients } from "./clients/known-clients.ts";
import { createLogos } from "./clients/logos.ts";
import { createSecretUses } from "./clients/secret-uses.ts";
import { createReadSector } from "./clients/sector.ts";
import { createClientCredentials } from "./clients/service.ts";
import { createOpenSubjectKey } from "./clients/subject-keys.ts";
import { createUseJwt } from "./clients/used-jwts.ts";
import { createConsoleClient, createPlaceholderTenant } from "./console-client.ts";
import { createCors } from "./cors.ts";
import { discoveryController } from "./discovery.ts";
import { createDpop } from "./dpop/possession.ts";
import type { OnFailure } from "./endpoint.ts";
import { tokenController } from "./grants/token.ts";
import { createPublishedKeys } from "./keys/routes.ts";
import { createSigningKeys, jwksController } from "./keys/signing-keys.ts";
import { LOGOUT, logoutController } from "./logout.tsx";
import { createMtls } from "./mtls.ts";
import { createOnRecordChange } from "./record-changes.ts";
import { createRegistrationAccessTokens } from "./registration/access-tokens.ts";
import { createRefreshClient } from "./registration/client-documents.ts";
import { findTenantOfDocuments } from "./registration/documents.store.ts";
import { registrationController } from "./registration/endpoints.ts";
import { createInitialTokens } from "./registration/initial-tokens.ts";
import { createRegistration } from "./registration/service.ts";
import { isAnywhereOn } from "./registration/store.ts";
import { createFamilies } from "./tokens/families.ts";
import { introspectionController } from "./tokens/introspect.ts";
import type { IssuedTokens } from "./tokens/issued.ts";
import { signJwt } from "./tokens/jwt.ts";
import { liveScopes } from "./tokens/live-scopes.ts";
import { createRevocations, revocationController } from "./tokens/revoke.ts";
import { sessionFor, userOfIssuedSubject } from "./tokens/subjects.ts";
import { createTokens } from "./tokens/tokens.ts";
import { createTrials } from "./trial.ts";
import { createUserGrants } from "./user-grants.ts";
import { userinfoController } from "./userinfo.ts";

export interface ProviderDependencies {
  config: Pick<Config, "publicUrl" | "tokenLifetime" | "mtls" | "registrationLimits" | "weakPasswordLifetime">;
  sql: Sql;
  access: Pick<
    Access,
    | "knownScopes"
    | "permissionsIn"
    | "keepOfClients"
    | "forget"
    | "forgetClients"
    | "namedByPolicies"
    | "permissionsOf"
    | "findRecords"
  >;
  vault: Vault;
  log: Logger;
  egress: Pick<Egress, "fetch" | "checkUrl" | "forStrangers">;
  issued: Pick<IssuedTokens, "count">;
  mailer: Mailer;
  /** May throw to reject the request. @param network the origin of the request, for clients without authentication */
  onClient(request: Request, client: { tenantId: TenantId; clientId: string }, network: string | undefined): void;
  onDevice(step: DeviceStep): void;
  onFailure: OnFailure;
  exportOwn: AccountDependencies["exportOwn"];
}

export function createProvider(deps: ProviderDependencies) {
  const { config, sql, access, vault, log, egress, issued, mailer, onClient, onDevice, onFailure, exportOwn } = deps;
  const issuer = config.publicUrl;
  const { fetch, checkUrl, forStrangers } = egress;
  const mtls = createMtls(issuer, config.mtls);
  const limits = config.registrationLimits;
  const possible = { checkUrl, takesCertificates: mtls.url !== undefined };
  const keys = createSigningKeys(sql, vault);
  const revocations = createRevocations(sql);
  const findClient = createKnownClients(sql, access, createOpenSubjectKey(sql, vault));
  const tokens = createTokens({
    keys,
    issuer,
    lifetime: config.tokenLifetime,
    isRevoked: revocations.isRevoked,
    async pairwiseUser(clientId, sub) {
      const client = await findClient(clientId);
      return client && userOfIssuedSubject(client, sub);
    },
    liveScopes: (...who) => liveScopes(sql, ...who),
    knownScopes: access.knownScopes,
  });
  const families = createFamilies({
    vault,
    tokens,
    onReuse: (tenantId, { id, clientId, userId }) =>
      log.warn({ tenantId, familyId: id, clientId, userId }, "a refresh token was used again; its family is revoked"),
  });
  const findApis = createKnownApis(sql, access);
  const onRefused = createOnRefusedClient(sql, log);
  const onSecretUsed = createSecretUses(sql, log);
  const isSignedByClient = createClientKeys(egress, log);
  const useOnce = createUseJwt(sql);
  const proving = { issuer, mtls, findClient, isSignedByClient, useOnce, onRefused, onSecretUsed };
  const authenticate: AuthenticateClient = async (request, form) => {
    const client = await authenticateClient(proving, request, form);
    const known = { tenantId: client.tenantId, clientId: String(client.id) };
    onClient(request, known, strangersNetwork(request, client));
    return client;
  };
  const readSector = createReadSector(fetch, checkUrl);
  const refreshClient = createRefreshClient({ sql, access, log, limits, ...forStrangers });
  const authenticatePushing: AuthenticateClient = async (request, form) => {
    await refreshClient(request, form.client_id);
    return authenticate(request, form);
  };
  const endGrants = createEndGrants(families);
  const placeholderTenant = createPlaceholderTenant(vault);
  const consoleClient = createConsoleClient({ sql, vault, placeholderTenant, tokens, families, issuer });
  const dpop = createDpop({ sql, vault, mtls, findClient });
  const forClients = { sql, access, tokens, families, findApis, dpop, authenticateClient: authenticate, onFailure };

  const site = sites.createSite(issuer, (tenantId) => findFace(sql, tenantId));
  const cookies = createCookies(issuer);
  const passwords = createPasswords();
  const browsers = createKnownBrowsers(sql, cookies, createWarnOfDevice({ mailer, issuer }));
  const forms = createForms(cookies, createCsrf(vault));
  const warnOwner = createWarnOwner({ mailer, issuer });
  const forgotten = createForgottenPasswords({ sql, mailer, issuer, onFailure });
  const forPeople = {
    sql,
    consoleClient,
    tokens,
    findApis,
    issuer,
    pushedRequests: createPushedRequests({ sql, vault, findClient }),
    findClient,
    findLogo: createLogos(fetch, log),
    refreshClient,
    devices: createDevices({ sql, vault, issuer, findClient, findApis, onDevice }),
    openRequestObject: createRequestObjects(issuer, isSignedByClient),
    cookies,
    forms,
    sessions: createSessions(sql, cookies, site),
    signIn: createSignIn(sql, cookies, passwords, browsers),
    ownPassword: createOwnPassword(sql, passwords, browsers),
    secondFactor: createSecondFactor({ sql, vault, browsers, issuer, warnOwner }),
    passkeys: createPasskeys({ sql, forms, browsers, issuer, warnOwner }),
    forgotten,
    signUps: createSignUps({ sql, mailer, issuer, passwords, onFailure }),
    upstream: createUpstream({ sql, vault, fetch, cookies, publicUrl: issuer, log }),
    browsers,
    log,
    endpoints: { site, cookies, onFailure },
  };

  const forAccounts = {
    ...forPeople,
    credentials: createCredentials({ sql, passwords, endGrants, warnOwner }),
    takeBack: createTakeBack({ sql, passwords, endGrants, forgotten }),
    confirmAddress: createConfirmAddress({ mailer, issuer }),
    passwordProblem: createPasswordProblem(sql, urlOf(issuer).hostname),
    linkedAccounts: createLinkedAccounts(sql, endGrants),
    applications: createApplications({ ...forPeople, families }),
    exportOwn,
    signInAgain: (tenantId: TenantId, next: string) =>
      `${accountSignIn(consoleClient.clientId(tenantId, ""), next)}&prompt=login`,
  };

  const forInvitations = { ...forAccounts, invitations: createAcceptance({ sql, access, passwords }) };

  const returns = [createAccountReturns(forAccounts), createInvitationReturns(forInvitations)];

  const controller = new Elysia()
    .use(jwksController(keys))
    .use(
      discoveryController(issuer, mtls.url, async () => ({
        registration: await isAnywhereOn(sql),
        documents: (await findTenantOfDocuments(sql)) !== undefined,
      })),
    )
    .use(
      registrationController(
        createRegistration({
          ...{ sql, access, possible, readSector, issuer, limits },
          checkStrangersUrl: forStrangers.checkUrl,
        }),
        onFailure,
      ),
    )
    .use(tokenController({ ...forClients, issued }))
    .use(revocationController(forClients))
    .use(introspectionController({ ...forClients, issuer }))
    .use(pushController({ ...forPeople, dpop, authenticateClient: authenticatePushing, onFailure }))
    .use(deviceAuthorizationController({ ...forPeople, authenticateClient: authenticate, onFailure }))
    .use(site.controller())
    .use(authorizeController({ ...forPeople, returns }))
    .use(accountController(forAccounts))
    .use(pageController(forPeople.endpoints, invitationPages(forInvitations)))
    .use(pageController(forPeople.endpoints, invitationProviderPages(forInvitations)))
    .use(pageController(forPeople.endpoints, signUpLinkPages(forAccounts)))
    .use(pageController(forPeople.endpoints, languagePages(forPeople)))
    .use(userinfoController({ sql, tokens, findClient, checkPossession: dpop.checkPossession, onFailure }))
    .use(logoutController(forPeople));
  const verifyAccessToken: bearerTokens.VerifyAccessToken = tokens.verifyAccessToken;
  const administration = (findUser: FindUser) => ({
    users: createUserAdministration({ sql, issuer, findUser, endGrants, warnOwner }),
    grants: createUserGrants({ sql, families, findApis }),
    credentials: createClientCredentials(sql, access, possible, readSector),
    initialTokens: createInitialTokens(sql),
    registrationTokens: createRegistrationAccessTokens(sql),
    signingKeys: createPublishedKeys(sql),
  });
  const trials = createTrials(issuer, findClient, async (request) => controller.handle(request));
  const { sessions } = forPeople;
  return {
    controller,
    cors: createCors({ sql, findClient, onFailure }),
    administration,
    endGrantsBy: createEndGrantsBy(families),
    onRecordChange: createOnRecordChange(endGrants, createTellApproved({ mailer, issuer })),
    importCredentials: createImportCredentials(config.weakPasswordLifetime, forPeople.secondFactor),
    verifyAccessToken,
    /** By a client's secret as a bearer token, for callers that know no OAuth. @throws TokenError */
    async verifyClientSecret(request: Request, clientId: string, secret: string) {
      const client = await authenticateBySecret(proving, request, clientId, secret);
      onClient(request, { tenantId: client.tenantId, clientId: String(client.id) }, strangersNetwork(request, client));
      return client;
    },
    checkPossession: dpop.checkPossession,
    /** Signs certificates of a type, without an end. */
    signs: (type: "erasure-certificate+jwt" | "delivery-statement+jwt") => (claims: Record<string, unknown>) =>
      signJwt(keys, "RS256", type, undefined, claims),
    /** The `sid` by which a client knows a session. */
    async namesOfSessions(clientId: number) {
      const client = await findClient(String(clientId));
      return (sessionId: string) => (client ? sessionFor(client, sessionId) : sessionId);
    },
    /** Signs out despite an unreadable query. */
    signOutPath: LOGOUT.path,
    forConsole: { site, cookies, forms, sessions, consoleClient, trials, upstream: forPeople.upstream },
  };
}
