// The endpoints of OAuth and OpenID Connect, for the OpenAPI document.

export { RFC_ERROR } from "./contract.ts";
export * from "./declared.ts";
export { SPEC_TOKEN_PATH } from "./door.ts";
export { REFUSED_BY_ALL, tokenRefusal } from "./endpoint.ts";
export { ENDPOINTS } from "./endpoints.ts";
