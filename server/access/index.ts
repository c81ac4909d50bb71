export { type Authenticate, type Caller, createAuthenticate, requireScopes, type VerifyAccessToken } from "./bearer.ts";
export { grantedScopes, SCOPES, type Scope, ScopeNotGranted, splitScope } from "./scopes.ts";
