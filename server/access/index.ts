export { type Authenticate, type Caller, createAuthenticate, requireScopes, type VerifyAccessToken } from "./bearer.ts";
export { grantedScopes, SCOPES, ScopeNotGranted } from "./scopes.ts";
