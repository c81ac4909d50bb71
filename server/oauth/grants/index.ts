import { authorizationCode } from "./authorization-code.ts";
import { clientCredentials } from "./client-credentials.ts";
import type { Grant } from "./grant.ts";
import { refreshToken } from "./refresh-token.ts";

/** Every grant there is, by its grant_type. */
export const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: authorizationCode,
  client_credentials: clientCredentials,
  refresh_token: refreshToken,
};

/** Grants a client may be given. */
export const GRANT_TYPES = ["authorization_code", "client_credentials", "refresh_token"] as const;
