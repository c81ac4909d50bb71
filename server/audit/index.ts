export { changesOf, type Details, valuesShown } from "./details.ts";
export { EXPORT_FORMATS } from "./export.ts";
export { ACTOR_TYPES, SUBJECT_TYPES } from "./filter.ts";
export { AUDIT_KINDS } from "./kinds.ts";
export { type AuditEntry, FAILURES_PER_HOUR, type Origin, originOf, recordAudit } from "./record.ts";
export type { AuditRecord } from "./record-shape.ts";
export { AUDIT_RESOURCE_TYPE } from "./resource-type.ts";
export { auditController, exportResponse } from "./routes.ts";
export { type AuditLog, createAuditLog, MOST_EXPORTED } from "./service.ts";
