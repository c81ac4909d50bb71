import { Elysia } from "elysia";
import { authorizationEndpoints } from "./authorize.ts";
import { consentEndpoint } from "./consent.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { deviceEndpoints } from "./device-pages.tsx";
import { linkEndpoint } from "./link.ts";
import { logoEndpoint } from "./logo.ts";
import { secondFactorEndpoints } from "./second-factor.tsx";
import { signInEndpoints } from "./sign-in.ts";
import { upstreamEndpoints } from "./upstream.tsx";

export function authorizeController(deps: AuthorizeDependencies) {
  return new Elysia()
    .use(authorizationEndpoints(deps))
    .use(signInEndpoints(deps))
    .use(upstreamEndpoints(deps))
    .use(linkEndpoint(deps))
    .use(secondFactorEndpoints(deps))
    .use(consentEndpoint(deps))
    .use(logoEndpoint(deps))
    .use(deviceEndpoints(deps));
}

export { ATTAINABLE_ACRS } from "./checks/openid.ts";
export { expireDevices, expireDevicesBy, removeExpiredDevices } from "./device.store.ts";
export { createDevices } from "./device.ts";
export { deviceAuthorizationController } from "./device-authorization.ts";
export { pushController } from "./push.ts";
export { removeExpiredPushes } from "./pushed.store.ts";
export { createPushedRequests } from "./pushed.ts";
export { createRequestObjects } from "./request-object.ts";
export { expireCodes, expireCodesBy, removeExpiredCodes, type WhichSessions } from "./store.ts";
export { inWords } from "./words.ts";
