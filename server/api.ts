// All API endpoints that are declared as routes.

import { ALERT_DESCRIPTION, type Alerts, alertRoutes } from "./alerts/index.ts";
import { type AuditLog, auditDescription, auditRoutes } from "./audit/index.ts";
import { type Entities, entityRoutes } from "./entities/index.ts";
import type { Route } from "./http/route.ts";
import { type Logouts, logoutRoutes } from "./logouts/index.ts";
import {
  type ClientCredentials,
  credentialRoutes,
  type InitialTokens,
  initialTokenRoutes,
  type PublishedKeys,
  type RegistrationAccessTokens,
  registrationAccessTokenRoutes,
  signingKeyRoutes,
  type UserGrants,
  userGrantRoutes,
} from "./oauth/index.ts";
import { type Erasures, type PersonalData, personalDataRoutes } from "./personal-data/index.ts";
import { type Requests, requestRoutes } from "./requests/index.ts";
import type { Settings } from "./settings.ts";
import { type UserAdministration, userRoutes } from "./signin/index.ts";
import { type OwnTenant, tenantSettingsRoutes } from "./tenants/index.ts";
import {
  type ConnectionContract,
  connectionRoutes,
  deadLetterRoutes,
  discardRoutes,
  eventLogRoutes,
  figureRoutes,
  redeliveryRoutes,
  resentRoutes,
  secretRoutes,
  testRoutes,
  type WebhookServices,
  whyRoutes,
} from "./webhooks/index.ts";

export interface ApiServices extends WebhookServices {
  entities: readonly string[];
  connection: ConnectionContract;
  records: Entities;
  settings: Settings[string][];
  auditLog: AuditLog;
  alerts: Alerts;
  requests: Requests;
  grants: UserGrants;
  credentials: ClientCredentials;
  initialTokens: InitialTokens;
  registrationTokens: RegistrationAccessTokens;
  logouts: Logouts;
  signingKeys: PublishedKeys;
  users: UserAdministration;
  personalData: PersonalData;
  erasures: Erasures;
  ownTenant: OwnTenant;
  /** The Temporal UI's page of a workflow. */
  workflowUrl: (workflowId: string) => string;
}

export function apiRoutes(services: ApiServices): Route[] {
  return [
    ...entityRoutes(services.records, [ALERT_DESCRIPTION, auditDescription(services.auditLog)]),
    ...connectionRoutes(services),
    ...secretRoutes(services.rotations),
    ...discardRoutes(services.discard),
    ...testRoutes(services.testEvents, services.workflowUrl),
    ...figureRoutes(services.figures),
    ...eventLogRoutes(services),
    ...deadLetterRoutes(services.countDeadLetters),
    ...whyRoutes(services.explainEvent),
    ...redeliveryRoutes(services.redeliveries),
    ...resentRoutes(services.resentDeliveries),
    ...services.settings.flatMap(({ routes }) => routes),
    ...alertRoutes(services.alerts),
    ...auditRoutes(services.auditLog),
    ...requestRoutes(services.requests),
    ...credentialRoutes(services.credentials),
    ...initialTokenRoutes(services.initialTokens),
    ...registrationAccessTokenRoutes(services.registrationTokens),
    ...logoutRoutes(services.logouts),
    ...userGrantRoutes(services.grants),
    ...userRoutes(services.users),
    ...personalDataRoutes(services),
    ...tenantSettingsRoutes(services.ownTenant),
    ...signingKeyRoutes(services.signingKeys),
  ];
}
