// Records: what a kind is (record.ts), the one write sequence (write.ts), and who may do and see what (access/).
// It imports platform/ only; webhooks, identity and all later rooms declare their kinds with it.
// Begin with record.ts, then entities/department.ts as an example, then write.ts.

export { type Access, createAccess } from "./access/access.ts";
export * as bearerTokens from "./access/bearer.ts";
export { type Caller, type Permitted, permit } from "./access/bearer.ts";
export type { Actor, Bearer } from "./access/caller.ts";
export type { PolicyProblem } from "./access/decisions/cedar.ts";
export { requireForAll } from "./access/decisions/permissions.ts";
export { actionsOn, type ResourceType, resourceType } from "./access/decisions/resource-type.ts";
export { MAX_ROWS_READ } from "./access/gate/list.ts";
export { type Shown, type ShownPage, type Tagged, type Whole, withoutRecords } from "./access/gate/shown.ts";
export * as initialAccess from "./access/initial-access.ts";
export { createLog, type Log, logRoutes } from "./access/log-kind.ts";
export {
  POLICY,
  POLICY_TEXT,
  type PolicyRecord,
  type PolicyVersion,
} from "./access/policies/contract.ts";
export * as policyTrials from "./access/policies/evaluate.ts";
export { createRenameRole } from "./access/policies/rename.ts";
export { POLICIES } from "./access/policies/routes.ts";
export { QUESTION } from "./access/policies/trial-question.ts";
export {
  auditedAs,
  byIdOrName,
  createRecordService,
  type RecordService,
  type RecordStore,
  type ScopeOf,
  type ServedKind,
  tableKind,
} from "./access/record-service.ts";
export { ROLE, type RoleRecord } from "./access/roles/contract.ts";
export { ROLES } from "./access/roles/service.ts";
export { listGroupNames, listRoleNames, scopesOfRoles } from "./access/roles.store.ts";
export { resourceRoutes, route } from "./access/route.ts";
export {
  ACTIONS,
  EXCHANGE,
  isOwnScope,
  requireKnownScopes,
  SCOPE_ACTIONS,
  SCOPE_LIMIT,
  SCOPE_LIST,
  SCOPE_NAME,
  SCOPE_TEXTS,
  SCOPES,
  type Scope,
} from "./access/scopes.ts";
export {
  createSettingsService,
  type SettingsDeclaration,
  type SettingsDependencies,
  type SettingsResource,
  settingsResource,
} from "./access/settings.ts";
export { countUnchained } from "./audit/chain.store.ts";
export { startAuditChain } from "./audit/chain.ts";
export { AUDIT_EVENT, type AuditRecord } from "./audit/contract.ts";
export { createAuditLog } from "./audit/service.ts";
export type { AuditEntry, Origin, SignIns } from "./audit/store.ts";
export { verifyChain } from "./audit/verify-chain.ts";
export { originOf, recordAudit, recordConsequence } from "./audit/write.ts";
export { requireUnused, USER_ATTRIBUTES } from "./entities/attribute-definitions.ts";
export type { AttributeDefinition, Attributes, AttributeValue } from "./entities/attributes.ts";
export { createFindRecord, type OnChange, resourceTypes } from "./entities/record.ts";
export { ENTITIES, ENTITY_TABLES } from "./entities/registry.ts";
export { FOREIGN_KEY_SCHEMAS } from "./entities/schemas.ts";
export { createEntities, type EntityRecord, type EntityService } from "./entities/service.ts";
export * as ownRecords from "./entities/without-caller.ts";
export {
  ALERT_RECORD,
  AUDIT_RECORD,
  ERASED,
  EVENT_TYPES,
  type EventType,
  HIDDEN_AS_NULL,
  LOGGED_EVENT_TYPES,
  type LoggedEventType,
  NAME_SHOWN,
  PING,
  PING_RECORD,
} from "./events/event.ts";
export * as outbox from "./events/outbox.ts";
export { recordEvent, recordPing, recordTest } from "./events/write-event.ts";
export { RECORDS_EXPIRED } from "./expired.ts";
export * as recordFields from "./fields.ts";
export { type Declaration, type ENTITY, type RecordScopes, record, SETTING, WEBHOOK } from "./record.ts";
export type { Member } from "./reference-list.ts";
export { ACTOR_FIELDS, type Entity } from "./registry.ts";
export { REQUEST } from "./requests/contract.ts";
export * as requests from "./requests/exported.ts";
export { type RecordRoutes, recordRoutes } from "./routes.ts";
export { SELF_MADE } from "./self-made.ts";
export { logTable, recordTable, storedFields } from "./table.store.ts";
export { searchables } from "./values.ts";
export { writeRecord } from "./write.ts";
export type { Found } from "./write-parts.ts";
