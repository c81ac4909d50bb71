// The routes of entities, the audit log and requests.

import type { Filters } from "../platform/http/query.ts";
import type { Route } from "../platform/http/route.ts";
import { auditDescription, auditRoutes } from "./audit/routes.ts";
import type { AuditLog } from "./audit/service.ts";
import { entityRoutes } from "./entities/routes.ts";
import type { Entities } from "./entities/service.ts";
import { EVENT_TYPES } from "./events/event.ts";
import type { Declaration } from "./record.ts";
import { type Requests, requestRoutes } from "./requests/routes.ts";
import { describeLog } from "./values.ts";

export interface RecordRoutes {
  records: Entities;
  auditLog: AuditLog;
  requests: Requests;
}

/** @param others further kinds whose changes are events, with the filters of their lists */
export function recordRoutes(services: RecordRoutes, others: { kind: Declaration; filters: Filters }[]): Route[] {
  const described = others.map(({ kind, filters }) => describeLog(kind.name, kind.record, filters, EVENT_TYPES));
  return [
    ...entityRoutes(services.records, [...described, auditDescription(services.auditLog)]),
    ...auditRoutes(services.auditLog),
    ...requestRoutes(services.requests),
  ];
}
