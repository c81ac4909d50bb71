// Settings is an OpenID Connect client like any other, with three exceptions: its Application is created with the
// tenant, its client_id is sealed, and it redeems codes in process.

import { createHash, createHmac } from "node:crypto";
import type { Sql } from "../../platform/db/sql.ts";
import { PLACEHOLDER_VERSION, type TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { SCOPES } from "../../records/index.ts";
import { defaultsOf } from "./clients/credential-rules.ts";
import { type Client, findConsoleClient } from "./clients/store.ts";
import { type ConsoleSession, findConsoleSession, insertConsoleSession } from "./console-sessions.store.ts";
import { AUTHORIZATION_PATH } from "./door.ts";
import { TokenError } from "./errors.ts";
import { authorizationCode } from "./grants/authorization-code.ts";
import type { Families } from "./tokens/families.ts";
import type { Tokens } from "./tokens/tokens.ts";

/** Values known only to the browser that bind a response to its request. */
export interface Bindings {
  nonce: string;
  /** RFC 7636 4.1. */
  verifier: string;
}

export interface Redeemed {
  tenantId: TenantId;
  sessionId: string;
  /** The grant; ending it ends the session in Settings. */
  familyId: string;
}

export interface ConsoleClient {
  /** Different on each call. Without a tenant, it is one for the given unknown name. */
  clientId(tenantId: TenantId | undefined, name: string): string;
  /**
   * The client for this client_id, even if the tenant does not exist; undefined for any other client_id.
   * @param purpose the account pages need only the tenant, so the application of Settings may be inactive
   */
  find(clientId: string, purpose?: "Settings" | "Account"): Promise<Client | undefined>;
  authorizationRequest(clientId: string, state: string, bindings: Bindings): string;
  /** @throws TokenError */
  redeem(request: Request, clientId: string, code: string, bindings: Bindings): Promise<Redeemed>;
  /** Starts a session in Settings; signing in again replaces it. @param digest of the browser's cookie */
  enter(redeemed: Redeemed, digest: Buffer): Promise<void>;
  /** @returns undefined also if its grant is revoked or the application of Settings is inactive */
  findSession(tenantId: TenantId, sessionId: string, digest: Buffer): Promise<ConsoleSession | undefined>;
}

export interface ConsoleClientDependencies {
  sql: Sql;
  vault: Vault;
  placeholderTenant: PlaceholderTenantOf;
  tokens: Tokens;
  families: Families;
  issuer: string;
}

export function createConsoleClient(deps: ConsoleClientDependencies): ConsoleClient {
  const { sql, vault, placeholderTenant, tokens, families, issuer } = deps;
  const redirectUri = issuer + CONSOLE_CALLBACK_PATH;
  const references = vault.vaultFor(PURPOSE).sealFor(PURPOSE);

  function tenantOf(clientId: string): TenantId | undefined {
    if (!FORM.test(clientId)) return undefined;
    try {
      return references.open(Buffer.from(clientId, "base64url")) as TenantId;
    } catch {
      return undefined;
    }
  }

  /** Ignores changes of its Application. Without an active one the client looks the same, but sign-in fails. */
  const find: ConsoleClient["find"] = async (clientId, purpose = "Settings") => {
    const named = tenantOf(clientId);
    if (named === undefined) return undefined;
    const found = await findConsoleClient(sql, named);
    const placeholder = { id: 0, tenantId: placeholderTenant(named), identityProvider: null };
    const isUsable = found?.isActive || purpose === "Account";
    const { id, tenantId, identityProvider } = (isUsable && found) || placeholder;
    return { ...CONSOLE_CLIENT, id, tenantId, identityProvider, redirectUris: [redirectUri] };
  };

  return {
    find,

    clientId(tenantId, name) {
      // Always computed, so timing does not reveal whether the tenant exists.
      const placeholder = placeholderTenant(name);
      return references.seal(tenantId ?? placeholder).toString("base64url");
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
      const client = await find(clientId);
      if (!client) throw new TokenError("invalid_client", "This is not a client_id of Settings. Sign in again.");
      const grant = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
      const asked = {
        request,
        client,
        form: grant,
        door: "rfc",
        apis: [],
        resource: undefined,
        jkt: undefined,
      } as const;
      const response = await authorizationCode({ ...asked, sql, tokens, families });
      const [access, identity] = await Promise.all([
        tokens.readAccessToken(response.access_token),
        tokens.readIdTokenHint(response.id_token ?? ""),
      ]);
      // OIDC Core 3.1.3.7: the id_token must be for this client and this request.
      if (!access?.claims.grant_id || identity?.aud !== String(client.id) || identity.nonce !== nonce) {
        throw new TokenError("invalid_grant", "The id_token does not belong to this browser's request. Sign in again.");
      }
      return { tenantId: client.tenantId, sessionId: String(identity.sid), familyId: access.claims.grant_id };
    },

    enter: ({ tenantId, sessionId, familyId }, digest) =>
      insertConsoleSession(sql, tenantId, { sessionId, familyId, digest }),
    findSession: (tenantId, sessionId, digest) => findConsoleSession(sql, tenantId, sessionId, digest),
  };
}

export const CONSOLE_CALLBACK_PATH = "/settings/callback";

export const CONSOLE_APPLICATION = {
  name: "Gatehouse Settings",
  description: "The Settings pages of Gatehouse, as an application that people sign in to.",
};

const CONSOLE_CLIENT = {
  ...defaultsOf("confidential"),
  name: CONSOLE_APPLICATION.name,
  webSite: "",
  isActive: true,
  isConsole: true,
  documentUrl: null,
  // Not the tenant's, which would tell that there is one.
  tenantPages: { language: "en", texts: [] },
  isOpen: false,
  administratorSet: [],
  grantTypes: ["authorization_code"],
  // Roles limit the scopes in Settings, and the tokens never leave the process.
  scopes: [...SCOPES],
  accessTokenAlg: "EdDSA",
  firstParty: true,
  // Its users have public subjects.
  subjectKey: new Uint8Array(),
  // Without a secret, no external client can redeem a code.
  secrets: [],
  version: "",
} satisfies Partial<Client>;

// The client_id of Settings. It is sealed, and every typed organisation name leads to the sign-in page, so visitors
// cannot probe for organisations.

const PURPOSE = "client_id of Settings";
/** A sealed UUID in base64url. */
const FORM = /^[\w-]{87}$/;

/** A tenant id for an unknown organisation name. Equal names give equal ids, so failed attempts are throttled as usual. */
export type PlaceholderTenantOf = (name: string) => TenantId;

export function createPlaceholderTenant(vault: Vault): PlaceholderTenantOf {
  const [key] = vault.keysFor("tenants that there are not");
  return (name) => {
    const hex = createHmac("sha256", key).update(name).digest("hex");
    const version = `${PLACEHOLDER_VERSION}${hex.slice(13, 16)}`;
    const parts = [hex.slice(0, 8), hex.slice(8, 12), version, hex.slice(16, 20), hex.slice(20, 32)];
    return parts.join("-") as TenantId;
  };
}
