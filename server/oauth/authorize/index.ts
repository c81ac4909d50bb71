import { Elysia } from "elysia";
import { authorizationEndpoints } from "./authorize.ts";
import { consentEndpoint } from "./consent.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { signInEndpoint } from "./sign-in.ts";

/** The authorization endpoint of both doors, and the forms that its pages send. */
export function authorizeController(deps: AuthorizeDependencies) {
  return new Elysia().use(authorizationEndpoints(deps)).use(signInEndpoint(deps)).use(consentEndpoint(deps));
}

export { RESPONSE_MODES, RESPONSE_TYPES } from "./checks/request.ts";
export { removeExpiredCodes } from "./store.ts";
export { AUTHORIZATION_PATHS } from "./target.ts";
