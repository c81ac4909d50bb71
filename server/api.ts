// Every endpoint of the API that is declared as a route.

import type { Access } from "./access/index.ts";
import { type Alerts, alertRoutes } from "./alerts/index.ts";
import { type AuditLog, auditRoutes } from "./audit/index.ts";
import type { Sql } from "./db/connection.ts";
import { type Entities, entityRoutes } from "./entities/index.ts";
import type { Route } from "./http/route.ts";
import { type Consents, consentRoutes, credentialRoutes, signingKeyRoutes } from "./oauth/index.ts";
import { type Requests, requestRoutes } from "./requests/index.ts";
import type { Settings } from "./settings.ts";
import { type UserAdministration, userRoutes } from "./signin/index.ts";
import { type OwnTenant, tenantSettingsRoutes } from "./tenants/index.ts";
import {
  type ConnectionContract,
  connectionRoutes,
  deadLetterRoutes,
  eventLogRoutes,
  figureRoutes,
  redeliveryRoutes,
  secretRoutes,
  testRoutes,
  type WebhookServices,
  whyRoutes,
} from "./webhooks/index.ts";

export interface ApiServices extends WebhookServices {
  sql: Sql;
  /** Names of the entities that there are. */
  entities: readonly string[];
  connection: ConnectionContract;
  records: Entities;
  settings: Settings[string][];
  auditLog: AuditLog;
  alerts: Alerts;
  requests: Requests;
  access: Pick<Access, "forget" | "forgetClients">;
  consents: Consents;
  users: UserAdministration;
  ownTenant: OwnTenant;
  /** Where a person opens a workflow in the Temporal UI. */
  workflowUrl: (workflowId: string) => string;
  /** Aborted when the process is to end. */
  stopping: AbortSignal;
}

export function apiRoutes(services: ApiServices): Route[] {
  return [
    ...entityRoutes(services.records),
    ...connectionRoutes(services),
    ...secretRoutes(services.rotations),
    ...testRoutes(services.testEvents, services.workflowUrl),
    ...figureRoutes(services.figures),
    ...eventLogRoutes(services),
    ...deadLetterRoutes(services.sql, services.connections),
    ...whyRoutes(services.explainEvent),
    ...redeliveryRoutes(services.redeliveries),
    ...services.settings.flatMap(({ routes }) => routes),
    ...alertRoutes(services.alerts),
    ...auditRoutes(services.auditLog),
    ...requestRoutes(services.requests),
    ...credentialRoutes(services.sql, services.access),
    ...consentRoutes(services.consents),
    ...userRoutes(services.users),
    ...tenantSettingsRoutes(services.ownTenant),
    ...signingKeyRoutes(services.sql),
  ];
}
