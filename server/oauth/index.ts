export { hashSecret } from "./clients.ts";
export { jwksController } from "./jwks.ts";
export { createSigningKeys, type SigningKeys } from "./keys.ts";
export { GRANT_TYPES, tokenController } from "./token.ts";
export { createTokens, type Tokens } from "./tokens.ts";
