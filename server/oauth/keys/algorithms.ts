import type { SealedColumn } from "../../master-key.ts";

/** What we sign by (RFC 7518, RFC 8037); each has keys of its own. */
export const SIGNING_ALGS = ["EdDSA", "RS256", "ES256"] as const;
export type SigningAlg = (typeof SIGNING_ALGS)[number];

/** What a private key is sealed for. */
export const SIGNING_KEY_PURPOSE = "signing key";

export const SEALED: SealedColumn[] = [{ table: "signing_keys", column: "private_jwk", purpose: SIGNING_KEY_PURPOSE }];
