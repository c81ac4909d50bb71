export { changesOf, valuesShown } from "./details.ts";
export { AUDIT_KINDS } from "./kinds.ts";
export { type AuditEntry, FAILURES_PER_HOUR, type Origin, originOf, recordAudit } from "./record.ts";
export { AUDIT_RESOURCE_TYPE } from "./resource-type.ts";
export { ACTOR_TYPES, auditController, SUBJECT_TYPES } from "./routes.ts";
