// All API endpoints that are declared as routes.

import { type DataServices, personalDataRoutes } from "./data/index.ts";
import { type IdentityRoutes, identityRoutes, invited } from "./identity/index.ts";
import type { Route } from "./platform/http/route.ts";
import { type RecordRoutes, recordRoutes } from "./records/index.ts";
import { ALERT, type WebhookRoutes, webhookRoutes } from "./webhooks/index.ts";

export interface ApiServices extends RecordRoutes, WebhookRoutes, IdentityRoutes, DataServices {
  entities: readonly string[];
}

export function apiRoutes(services: ApiServices): Route[] {
  return [
    ...recordRoutes(services, [
      { kind: ALERT, filters: services.alerts.filters },
      { kind: invited.INVITATION, filters: services.settings.invitations.service.filters },
    ]),
    ...webhookRoutes(services),
    ...identityRoutes(services),
    ...personalDataRoutes(services),
  ];
}
