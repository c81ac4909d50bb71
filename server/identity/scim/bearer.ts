// The caller of SCIM: a client with an access token, or with its secret as a long-lived bearer token.

import { Unauthorized } from "../../platform/errors.ts";
import { type Bearer, bearerTokens, type Caller } from "../../records/index.ts";
import type { Client } from "../oauth/clients/store.ts";
import { TokenError } from "../oauth/errors.ts";

export interface ScimBearers {
  authenticate: bearerTokens.Authenticate;
  verifyClientSecret(request: Request, clientId: string, secret: string): Promise<Client>;
  admit: Parameters<typeof bearerTokens.callerOf>[1];
}

/** `client_id.client_secret`; an access token has two dots. */
const SECRET = /^bearer +(\d{1,15})\.([A-Za-z0-9_-]{1,200})$/i;

/** @throws Unauthorized */
export function createScimAuthenticate({ authenticate, verifyClientSecret, admit }: ScimBearers) {
  return async (request: Request): Promise<Caller> => {
    const [, clientId, secret] = SECRET.exec(request.headers.get("authorization") ?? "") ?? [];
    if (clientId === undefined) return authenticate(request);
    const now = async () => bearerOf(await verifyClientSecret(request, clientId, secret!).catch(refuse));
    return bearerTokens.callerOf(request, admit, await now(), now);
  };
}

/** The secret may do what a token could that it is exchanged for. */
function bearerOf(client: Client): Bearer {
  const { id, tenantId, clientType, grantTypes, scopes, dpopBound, securityProfile } = client;
  const isAllowed = clientType === "confidential" && grantTypes.includes("client_credentials");
  if (!isAllowed || dpopBound || securityProfile === "FAPI2") {
    throw refused("The client may not use its secret as a bearer token: it needs the grant client_credentials.");
  }
  return { tenantId, clientId: String(id), actor: { type: "Application", id }, scopes: new Set(scopes) };
}

function refuse(error: unknown): never {
  throw error instanceof TokenError ? refused("The secret is wrong or no longer valid.") : error;
}

const refused = (text: string) => new Unauthorized(text, 'Bearer error="invalid_token"');
