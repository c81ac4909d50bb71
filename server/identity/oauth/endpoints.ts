import { AUTHORIZATION } from "./authorize/authorize.ts";
import { DEVICE_AUTHORIZATION } from "./authorize/device-authorization.ts";
import { PUSHED_AUTHORIZATION } from "./authorize/push.ts";
import { METADATA } from "./discovery.ts";
import { RFC_TOKEN, SPEC_TOKEN } from "./grants/token.ts";
import { JWKS } from "./keys/signing-keys.ts";
import { LOGOUT } from "./logout.tsx";
import { REGISTRATION } from "./registration/endpoints.ts";
import { INTROSPECTION } from "./tokens/introspect.ts";
import { REVOCATION } from "./tokens/revoke.ts";
import { USERINFO } from "./userinfo.ts";

export const ENDPOINTS = [
  SPEC_TOKEN,
  JWKS,
  RFC_TOKEN,
  PUSHED_AUTHORIZATION,
  DEVICE_AUTHORIZATION,
  REVOCATION,
  INTROSPECTION,
  ...REGISTRATION,
  ...METADATA,
  ...AUTHORIZATION,
  USERINFO,
  LOGOUT,
];
