// The routes of settings, clients, users who sign in, and tenants.

import type { Route } from "../platform/http/route.ts";
import { logoutRoutes } from "./logouts/routes.ts";
import type { Logouts } from "./logouts/service.ts";
import { type Mails, mailRoutes } from "./mail/index.ts";
import { credentialRoutes } from "./oauth/clients/routes.ts";
import type { ClientCredentials } from "./oauth/clients/service.ts";
import { type PublishedKeys, signingKeyRoutes } from "./oauth/keys/routes.ts";
import { type RegistrationAccessTokens, registrationAccessTokenRoutes } from "./oauth/registration/access-tokens.ts";
import { type InitialTokens, initialTokenRoutes } from "./oauth/registration/initial-tokens.ts";
import { type UserGrants, userGrantRoutes } from "./oauth/user-grants.ts";
import type { Settings } from "./settings.ts";
import { userRoutes } from "./signin/administration/routes.ts";
import type { UserAdministration } from "./signin/administration/service.ts";
import { type InvitationImports, invitationImportRoutes } from "./signin/invitations/imports/index.ts";
import { type OwnTenant, tenantSettingsRoutes } from "./tenants/index.ts";

export interface IdentityRoutes {
  settings: Settings;
  credentials: ClientCredentials;
  initialTokens: InitialTokens;
  registrationTokens: RegistrationAccessTokens;
  logouts: Logouts;
  mails: Mails;
  imports: InvitationImports;
  grants: UserGrants;
  users: UserAdministration;
  ownTenant: OwnTenant;
  signingKeys: PublishedKeys;
}

export function identityRoutes(services: IdentityRoutes): Route[] {
  return [
    ...Object.values(services.settings).flatMap(({ routes }) => routes),
    ...credentialRoutes(services.credentials),
    ...initialTokenRoutes(services.initialTokens),
    ...registrationAccessTokenRoutes(services.registrationTokens),
    ...logoutRoutes(services.logouts),
    ...mailRoutes(services.mails),
    ...invitationImportRoutes(services.imports),
    ...userGrantRoutes(services.grants),
    ...userRoutes(services.users),
    ...tenantSettingsRoutes(services.ownTenant),
    ...signingKeyRoutes(services.signingKeys),
  ];
}
