import { DEFAULT_SCOPES } from "../../access/index.ts";
import { GRANT_TYPES } from "../grants/index.ts";
import type { ClientType, Credentials } from "../store.ts";

/** What a client has that was told nothing else: all grants that its type can use, and the default scopes. */
export function defaultsOf(clientType: ClientType): Credentials {
  return {
    clientType,
    // RFC 6749 4.4.
    grantTypes: GRANT_TYPES.filter((grant) => clientType === "confidential" || grant !== "client_credentials"),
    scopes: [...DEFAULT_SCOPES],
    redirectUris: [],
    postLogoutRedirectUris: [],
    accessTokenAlg: "EdDSA",
    idTokenAlg: "RS256",
    firstParty: false,
  };
}
