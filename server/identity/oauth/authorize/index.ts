import { pageController } from "../../signin/endpoint.tsx";
import { authorizationPages } from "./authorize.ts";
import { consentPages } from "./consent.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { devicePages } from "./device-pages.tsx";
import { forgottenPages } from "./forgotten.tsx";
import { keepPages } from "./keep.tsx";
import { linkPages } from "./link.ts";
import { logoPages } from "./logo.ts";
import { newPasskeyPages } from "./new-passkey.tsx";
import { passkeyPages } from "./passkey.tsx";
import { secondFactorPages } from "./second-factor.tsx";
import { signInPages } from "./sign-in.ts";
import { signUpPages } from "./sign-up.tsx";
import { upstreamPages } from "./upstream.tsx";

export function authorizeController(deps: AuthorizeDependencies) {
  return pageController(deps.endpoints, {
    ...authorizationPages(deps),
    ...signInPages(deps),
    ...passkeyPages(deps),
    ...newPasskeyPages(deps),
    ...forgottenPages(deps),
    ...signUpPages(deps),
    ...upstreamPages(deps),
    ...linkPages(deps),
    ...secondFactorPages(deps),
    ...keepPages(deps),
    ...consentPages(deps),
    ...logoPages(deps),
    ...devicePages(deps),
  });
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
