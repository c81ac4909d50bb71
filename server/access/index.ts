export { type Access, createAccess } from "./access.ts";
export {
  type Authenticate,
  type Bearer,
  type Caller,
  createAuthenticate,
  requireScopes,
  type VerifyAccessToken,
} from "./bearer.ts";
export { NAME_LIMIT } from "./input.ts";
export { DESCRIPTION_LIMIT, POLICY_LIMIT } from "./policies/input.ts";
export type { AttributeType, ResourceType } from "./policies/resource-type.ts";
export { policiesController } from "./policies/routes.ts";
export { createPolicies } from "./policies/service.ts";
export { MEMBER_LIMIT } from "./roles/input.ts";
export { rolesController } from "./roles/routes.ts";
export { createRoles } from "./roles/service.ts";
export { userScopes } from "./roles/user-scopes.ts";
export { grantedScopes, SCOPES, type Scope, ScopeNotGranted } from "./scopes.ts";
export { insertStarterAccess } from "./starter.ts";
