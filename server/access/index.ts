export { type Access, createAccess } from "./access.ts";
export {
  type Authenticate,
  type Caller,
  type CheckPossession,
  createAuthenticate,
  type Permitted,
  type PresentedToken,
  permit,
  presentedToken,
  requirePossession,
  type VerifyAccessToken,
} from "./bearer.ts";
export type { Actor, Bearer } from "./caller.ts";
export type { PolicyProblem } from "./decisions/cedar.ts";
export { requireForAll } from "./decisions/permissions.ts";
export { actionsOn, type ResourceType, resourceType } from "./decisions/resource-type.ts";
export { idField, nameField, STAMP_FIELDS, type Stamped } from "./fields.ts";
export { MAX_ROWS_READ } from "./gate/list.ts";
export type { FindRecords } from "./gate/references.ts";
export { type Shown, type ShownPage, type Tagged, type Whole, withoutRecords } from "./gate/shown.ts";
export { POLICY, POLICY_LIMIT, POLICY_TEXT, type PolicyRecord, type PolicyVersion } from "./policies/contract.ts";
export { type Case, type Comparison, type Evaluation, ScopesHidden } from "./policies/evaluate.ts";
export { QUESTION } from "./policies/question.ts";
export { POLICIES } from "./policies/routes.ts";
export { createRecordFinders } from "./record-finders.ts";
export {
  auditedAs,
  byIdOrName,
  createRecordService,
  type RecordStore,
  type ServedKind,
  tableKind,
} from "./record-service.ts";
export { MEMBER_LIMIT, ROLE, type RoleRecord } from "./roles/contract.ts";
export { ROLES } from "./roles/service.ts";
export { listRoleNames } from "./roles.store.ts";
export { resourceRoutes, route } from "./route.ts";
export {
  ACTIONS,
  type Action,
  ANY_SCOPE,
  asksForOthers,
  DEFAULT_SCOPES,
  EXCHANGE,
  grantedScopes,
  isOwnScope,
  requireKnownScopes,
  SCOPE_ACTIONS,
  SCOPE_NAME,
  SCOPE_TEXTS,
  SCOPES,
  SCOPES_MUST,
  type Scope,
  ScopeNotGranted,
} from "./scopes.ts";
export {
  createSettingsService,
  type SettingsDeclaration,
  type SettingsDependencies,
  type SettingsResource,
  type SettingsService,
  settings,
  settingsResource,
} from "./settings.ts";
export { type DeletedPolicy, insertStarterAccess, POLICIES as STARTER_POLICIES, recoverAccess } from "./starter.ts";
export { userScopes } from "./user-scopes.ts";
