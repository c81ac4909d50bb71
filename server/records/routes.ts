// The routes of entities, the audit log and requests.

import type { Route } from "../platform/http/route.ts";
import { auditDescription, auditRoutes } from "./audit/routes.ts";
import type { AuditLog } from "./audit/service.ts";
import { entityRoutes } from "./entities/routes.ts";
import type { Entities } from "./entities/service.ts";
import { type Requests, requestRoutes } from "./requests/routes.ts";

export interface RecordRoutes {
  records: Entities;
  auditLog: AuditLog;
  requests: Requests;
}

/** @param others events of other records */
export function recordRoutes(services: RecordRoutes, others: Parameters<typeof entityRoutes>[1]): Route[] {
  return [
    ...entityRoutes(services.records, [...others, auditDescription(services.auditLog)]),
    ...auditRoutes(services.auditLog),
    ...requestRoutes(services.requests),
  ];
}
