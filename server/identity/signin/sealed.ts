import type { SealedColumn } from "../../platform/vault.ts";
import { RECOVERY_KEY_PURPOSE, TOTP_PURPOSE } from "./second-factor/second-factor.ts";
import { CLIENT_KEY_PURPOSE, CLIENT_SECRET_PURPOSE } from "./upstream/configuration.ts";
import { ID_TOKEN_HINT_PURPOSE } from "./upstream/identity.ts";

export const SEALED: SealedColumn[] = [
  { table: "totp_secrets", column: "secret", purpose: TOTP_PURPOSE },
  { table: "totp_secrets", column: "recovery_key", purpose: RECOVERY_KEY_PURPOSE },
  { table: "identity_providers", column: "client_secret", purpose: CLIENT_SECRET_PURPOSE },
  { table: "identity_providers", column: "client_key", purpose: CLIENT_KEY_PURPOSE },
  { table: "sessions", column: "id_token_hint", purpose: ID_TOKEN_HINT_PURPOSE },
];
