// The issuer's keys, for processes and pages without the provider.

export type { SigningKeyRecord } from "./keys/routes.ts";
export { createCallSigner } from "./tokens/webhook-token.ts";
