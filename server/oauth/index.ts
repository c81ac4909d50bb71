export { hashSecret } from "./client-authentication.ts";
export { createFamilies } from "./families/families.ts";
export { GRANT_TYPES } from "./grants/index.ts";
export { jwksController } from "./keys/jwks.ts";
export { createSigningKeys } from "./keys/signing-keys.ts";
export { createRevocations } from "./revocations/revocations.ts";
export { tokenController } from "./token.ts";
export { createTokens } from "./tokens/tokens.ts";
