export { countUnchained, removeOldLinks, type Unchained } from "./chain.store.ts";
export { startAuditChain } from "./chain.ts";
export {
  ACTOR_TYPES,
  toFilter as toAuditFilter,
} from "./filter.ts";
export { AUDIT_KINDS, AUDIT_RESOURCE_TYPE, OUTCOMES } from "./kinds.ts";
export { AUDIT_SAMPLE, auditDescription, auditRoutes } from "./routes.ts";
export type { AuditRecord } from "./service.ts";
export { type AuditLog, createAuditLog } from "./service.ts";
export type { AuditEntry, Origin } from "./store.ts";
export { type HourOfSignIns, removeExpiredPlaces, type SignIns } from "./store.ts";
export { type ChainProblem, verifyChain } from "./verify.ts";
export { FAILURES_PER_HOUR, originOf, recordAudit, recordConsequence } from "./write.ts";
