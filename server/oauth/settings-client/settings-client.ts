// Settings is an OpenID Connect client like any other, but for two things: its Application is made by ourselves, and it
// redeems its codes in process. It has no secret, so nobody outside can redeem one.

import { createHash } from "node:crypto";
import { SCOPES } from "../../access/index.ts";
import type { Sql, Transaction } from "../../db/connection.ts";
import { insertSystemApplication } from "../../entities/index.ts";
import type { TenantId } from "../../tenant-id.ts";
import { findCredentials, saveCredentials } from "../credentials/store.ts";
import { AUTHORIZATION_PATH } from "../door.ts";
import type { Families } from "../families/families.ts";
import { authorizationCode } from "../grants/authorization-code.ts";
import { type Credentials, findClient } from "../store.ts";
import { TokenError } from "../token-error.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { findSettingsClient, lockSettingsClient, saveSettingsClient } from "./store.ts";

const APPLICATION = {
  name: "Gatehouse Settings",
  description: "The Settings pages of Gatehouse, as an application that people sign in to.",
};
export const SETTINGS_CALLBACK_PATH = "/settings/callback";

/** What binds an answer to the request that it answers; each is known to the asking browser alone. */
export interface Bindings {
  nonce: string;
  /** RFC 7636 4.1. */
  verifier: string;
}

/** What a code was good for. */
export interface Redeemed {
  /** The sign-in session. */
  sessionId: string;
  /** The grant, with which all ends that came of it. */
  familyId: string;
}

export interface SettingsClient {
  /** @returns path and query of the authorization request */
  authorizationRequest(tenantId: TenantId, state: string, bindings: Bindings): Promise<string>;
  /** @throws TokenError */
  redeem(request: Request, tenantId: TenantId, code: string, bindings: Bindings): Promise<Redeemed>;
}

export interface SettingsClientDependencies {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  issuer: string;
}

export function createSettingsClient({ sql, tokens, families, issuer }: SettingsClientDependencies): SettingsClient {
  const redirectUri = issuer + SETTINGS_CALLBACK_PATH;
  return {
    async authorizationRequest(tenantId, state, { nonce, verifier }) {
      const clientId = await ensureClient(sql, tenantId, redirectUri);
      const parameters = new URLSearchParams({
        response_type: "code",
        client_id: String(clientId),
        redirect_uri: redirectUri,
        scope: "openid",
        state,
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      });
      return `${AUTHORIZATION_PATH}?${parameters}`;
    },

    async redeem(request, tenantId, code, { nonce, verifier }) {
      const client = await findClient(sql, String(await ensureClient(sql, tenantId, redirectUri)));
      if (!client?.isActive) throw new TokenError("invalid_client", "The application of Settings is not active.");
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
      return { sessionId: String(identity.sid), familyId: access.grant_id };
    },
  };
}

/** The Application as it has to be, whatever somebody has made of it and wherever PUBLIC_URL stands today. */
async function ensureClient(sql: Sql, tenantId: TenantId, redirectUri: string): Promise<number> {
  const wanted: Credentials = {
    clientType: "confidential",
    grantTypes: ["authorization_code"],
    // Whoever comes in has a role's scopes in Settings, and of these tokens none leaves the process.
    scopes: [...SCOPES],
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [],
    accessTokenAlg: "EdDSA",
    idTokenAlg: "RS256",
    firstParty: true,
  };
  const known = await findSettingsClient(sql, tenantId);
  const found = known === null ? undefined : await findCredentials(sql, tenantId, known);
  if (known !== null && Bun.deepEquals(found, wanted)) return known;
  return sql.begin(async (tx) => {
    const id = (await lockSettingsClient(tx, tenantId)) ?? (await makeApplication(tx, tenantId));
    await saveCredentials(tx, tenantId, id, wanted);
    return id;
  });
}

async function makeApplication(tx: Transaction, tenantId: TenantId): Promise<number> {
  const id = await insertSystemApplication(tx, tenantId, APPLICATION);
  await saveSettingsClient(tx, tenantId, id);
  return id;
}
