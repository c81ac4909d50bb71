import { DEVICE_GRANT, EXCHANGE_GRANT, type GRANT_TYPES } from "../contract.ts";
import { authorizationCode } from "./authorization-code.ts";
import { clientCredentials } from "./client-credentials.ts";
import { deviceCode } from "./device-code.ts";
import type { Grant } from "./grant.ts";
import { refreshToken } from "./refresh-token.ts";
import { tokenExchange } from "./token-exchange.ts";

export const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: authorizationCode,
  client_credentials: clientCredentials,
  refresh_token: refreshToken,
  [DEVICE_GRANT]: deviceCode,
  [EXCHANGE_GRANT]: tokenExchange,
} satisfies Record<(typeof GRANT_TYPES)[number], Grant>;
