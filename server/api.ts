// All API endpoints that are declared as routes.

import { type DataServices, personalDataRoutes } from "./data/index.ts";
import { type IdentityRoutes, identityRoutes } from "./identity/index.ts";
import type { Route } from "./platform/http/route.ts";
import { type RecordRoutes, recordRoutes } from "./records/index.ts";
import { ALERT, type WebhookRoutes, webhookRoutes } from "./webhooks/index.ts";

export interface ApiServices extends RecordRoutes, WebhookRoutes, IdentityRoutes, DataServices {
  entities: readonly string[];
}

export function apiRoutes(services: ApiServices): Route[] {
  return [
    ...recordRoutes(services, [{ kind: ALERT, filters: services.alerts.filters }, ...withEvents(services)]),
    ...webhookRoutes(services),
    ...identityRoutes(services),
    ...personalDataRoutes(services),
  ];
}

/** Kinds of settings with events, for the list of entities. */
const withEvents = ({ settings }: Pick<ApiServices, "settings">) =>
  Object.values(settings).flatMap(({ type, service }) => (type.events ? { kind: type, filters: service.filters } : []));
