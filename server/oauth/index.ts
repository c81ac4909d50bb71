export { hashSecret } from "./clients.ts";
export { jwksController } from "./jwks.ts";
export { createSigningKeys } from "./keys.ts";
export { GRANT_TYPES, tokenController } from "./token.ts";
export { createTokens } from "./tokens.ts";
