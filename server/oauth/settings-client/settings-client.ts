// Settings is an OpenID Connect client like any other, but for three things: its Application is made with the tenant, its
// client_id is sealed, and it redeems its codes in process.

import { createHash } from "node:crypto";
import type { Sql } from "../../db/connection.ts";
import type { MasterKey } from "../../master-key.ts";
import type { TenantId } from "../../tenant-id.ts";
import { AUTHORIZATION_PATH } from "../door.ts";
import type { Families } from "../families/families.ts";
import { authorizationCode } from "../grants/authorization-code.ts";
import { TokenError } from "../token-error.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { SETTINGS_CALLBACK_PATH, settingsClientOf } from "./credentials.ts";
import { nobodysTenant, readReference, toReference } from "./reference.ts";

/** What binds an answer to the request that it answers; each is known to the asking browser alone. */
export interface Bindings {
  nonce: string;
  /** RFC 7636 4.1. */
  verifier: string;
}

/** What a code was good for. */
export interface Redeemed {
  tenantId: TenantId;
  /** The sign-in session. */
  sessionId: string;
  /** The grant, with which all ends that came of it. */
  familyId: string;
}

export interface SettingsClient {
  /** The client_id of a tenant's Settings, another one each time; without a tenant, of those of a name that none has. */
  clientId(tenantId: TenantId | undefined, name: string): string;
  /** @returns path and query of the authorization request */
  authorizationRequest(clientId: string, state: string, bindings: Bindings): string;
  /** @throws TokenError */
  redeem(request: Request, clientId: string, code: string, bindings: Bindings): Promise<Redeemed>;
}

export interface SettingsClientDependencies {
  sql: Sql;
  masterKey: MasterKey;
  tokens: Tokens;
  families: Families;
  issuer: string;
}

export function createSettingsClient(deps: SettingsClientDependencies): SettingsClient {
  const { sql, masterKey, tokens, families, issuer } = deps;
  const redirectUri = issuer + SETTINGS_CALLBACK_PATH;
  return {
    clientId(tenantId, name) {
      // Made in any case: it takes its time.
      const nobodys = nobodysTenant(masterKey, name);
      return toReference(masterKey, tenantId ?? nobodys);
    },

    authorizationRequest(clientId, state, { nonce, verifier }) {
      const parameters = new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: "openid",
        state,
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      });
      return `${AUTHORIZATION_PATH}?${parameters}`;
    },

    async redeem(request, clientId, code, { nonce, verifier }) {
      const tenantId = readReference(masterKey, clientId);
      if (tenantId === undefined) throw new TokenError("invalid_client", "This is no client_id of Settings.");
      const client = await settingsClientOf(deps, tenantId);
      const form = new Map(Object.entries({ code, redirect_uri: redirectUri, code_verifier: verifier }));
      const response = await authorizationCode({ request, client, form, door: "rfc", sql, tokens, families });
      const [access, identity] = await Promise.all([
        tokens.readAccessToken(response.access_token),
        tokens.readIdTokenHint(response.id_token ?? ""),
      ]);
      // OIDC Core 3.1.3.7: for this client, and the answer to this request.
      if (!access?.grant_id || identity?.aud !== String(client.id) || identity.nonce !== nonce) {
        throw new TokenError("invalid_grant", "The id_token is not the answer to this browser's request.");
      }
      return { tenantId, sessionId: String(identity.sid), familyId: access.grant_id };
    },
  };
}
