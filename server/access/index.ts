export { createAccess } from "./access.ts";
export {
  type Authenticate,
  type Bearer,
  type Caller,
  createAuthenticate,
  requireScopes,
  type VerifyAccessToken,
} from "./bearer.ts";
export type { AttributeType, ResourceType } from "./policies/resource-type.ts";
export { policiesController } from "./policies/routes.ts";
export { rolesController } from "./roles/routes.ts";
export { userScopes } from "./roles/user-scopes.ts";
export { grantedScopes, SCOPES, type Scope, ScopeNotGranted } from "./scopes.ts";
export { insertStarterAccess } from "./starter.ts";
