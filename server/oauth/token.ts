// POST /oAuth/rest/v2/Token (SPEC.md Endpoints 2 and 3).

import { Elysia } from "elysia";
import type { Sql } from "../db/connection.ts";
import { MethodNotAllowed } from "../errors.ts";
import { readForm } from "../http/body.ts";
import { asApiError } from "../http/error-record.ts";
import type { TenantId } from "../tenants/index.ts";
import { clientCredentials } from "./client-credentials.ts";
import { authenticateClient } from "./clients.ts";
import type { Client } from "./store.ts";
import { TokenError, tokenErrorResponse } from "./token-error.ts";
import type { Tokens } from "./tokens.ts";

const TOKEN_PATH = "/oAuth/rest/v2/Token";

/** Grants a client may be given. */
export const GRANT_TYPES = ["authorization_code", "client_credentials", "refresh_token"] as const;

/** SPEC.md "Token response". */
export interface TokenResponse {
  token_type: "Bearer";
  expires_in: number;
  access_token: string;
  id_token?: string;
  refresh_token?: string;
}

/** One grant: what it answers an authenticated client that is allowed to use it. */
export type Grant = (client: Client, form: Map<string, string>, tokens: Tokens) => Promise<TokenResponse>;

const GRANTS: Record<string, Grant> = { client_credentials: clientCredentials };

/** Told of a client once it is authenticated; may throw to refuse its request. */
type OnClient = (request: Request, client: { tenantId: TenantId; clientId: string }) => void;

/** @param onFailure told of what was not the caller's fault */
export function tokenController(
  sql: Sql,
  tokens: Tokens,
  onFailure: (error: unknown, request: Request) => void,
  onClient: OnClient,
) {
  return new Elysia()
    .post(
      TOKEN_PATH,
      async ({ request }) => {
        try {
          const body = await answer(sql, tokens, request, onClient);
          return Response.json(body, { headers: { "cache-control": "no-store", pragma: "no-cache" } });
        } catch (failure) {
          const error = asApiError(failure);
          if (error.status === 500) onFailure(failure, request);
          return tokenErrorResponse(error, request);
        }
      },
      { parse: "none" },
    )
    .all(TOKEN_PATH, ({ request }) => tokenErrorResponse(new MethodNotAllowed(["POST"]), request), { parse: "none" });
}

async function answer(sql: Sql, tokens: Tokens, request: Request, onClient: OnClient): Promise<TokenResponse> {
  const form = await readForm(request);
  const grantType = form.get("grant_type");
  if (!grantType) throw new TokenError("Bad Input", "grant_type is missing.");
  const client = await authenticateClient(sql, request, form);
  onClient(request, { tenantId: client.tenantId, clientId: String(client.id) });
  const grant = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (!grant) throw new TokenError("Bad Input", `grant_type must be ${Object.keys(GRANTS).join(" or ")}.`);
  if (!client.grantTypes.includes(grantType)) {
    throw new TokenError("Permission", `The client is not permitted to use grant_type ${grantType}.`);
  }
  return grant(client, form, tokens);
}
