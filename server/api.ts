// All API endpoints that are declared as routes.

import { type Erasures, type PersonalData, personalDataRoutes } from "./data/index.ts";
import { type IdentityRoutes, identityRoutes, invited } from "./identity/index.ts";
import type { Route } from "./platform/http/route.ts";
import { type RecordRoutes, recordRoutes } from "./records/index.ts";
import { ALERT_DESCRIPTION, type WebhookRoutes, webhookRoutes } from "./webhooks/index.ts";

export interface ApiServices extends RecordRoutes, WebhookRoutes, IdentityRoutes {
  entities: readonly string[];
  personalData: PersonalData;
  erasures: Erasures;
}

export function apiRoutes(services: ApiServices): Route[] {
  return [
    ...recordRoutes(services, [ALERT_DESCRIPTION, invited.INVITATION_DESCRIPTION]),
    ...webhookRoutes(services),
    ...identityRoutes(services),
    ...personalDataRoutes(services),
  ];
}
