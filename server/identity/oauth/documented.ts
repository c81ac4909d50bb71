// What the OpenAPI document says about the endpoints of OAuth and OpenID Connect.

export { RFC_ERROR } from "./contract.ts";
export * from "./declared.ts";
export { SPEC_TOKEN_PATH } from "./door.ts";
export { REFUSED_BY_ALL, tokenRefusal } from "./endpoint.ts";
export { ENDPOINTS } from "./endpoints.ts";
