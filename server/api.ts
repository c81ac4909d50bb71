// All API endpoints that are declared as routes.

import { type Erasures, type PersonalData, personalDataRoutes } from "./data/index.ts";
import { type IdentityRoutes, identityRoutes } from "./identity/index.ts";
import type { Route } from "./platform/http/route.ts";
import { EVENT_TYPES, type RecordRoutes, recordRoutes, typeName } from "./records/index.ts";
import { ALERT_DESCRIPTION, type WebhookRoutes, webhookRoutes } from "./webhooks/index.ts";

export interface ApiServices extends RecordRoutes, WebhookRoutes, IdentityRoutes {
  entities: readonly string[];
  personalData: PersonalData;
  erasures: Erasures;
}

export function apiRoutes(services: ApiServices): Route[] {
  return [
    ...recordRoutes(services, [ALERT_DESCRIPTION, ...described(services)]),
    ...webhookRoutes(services),
    ...identityRoutes(services),
    ...personalDataRoutes(services),
  ];
}

/** Kinds of settings with events, for the list of entities. */
const described = ({ settings }: Pick<ApiServices, "settings">) =>
  Object.values(settings).flatMap(({ type, service }) => {
    if (!type.events) return [];
    const fields = Object.entries(type.field).filter(([, { shown }]) => shown);
    const Fields = fields.map(([Name, { shown }]) => {
      return { Name, Type: typeName(shown!), Filter: Object.hasOwn(service.filters, Name) };
    });
    return { Name: type.name, Fields, Events: [...EVENT_TYPES] };
  });
