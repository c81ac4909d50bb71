// The token endpoint: /oAuth/rest/v2/Token (docs/behaviour.md "Token request") and /oauth2/token (RFC 6749 3.2).

import { Elysia } from "elysia";
import type { Sql } from "../../db/connection.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { TokenResponse } from "../contract.ts";
import { type Door, RFC_TOKEN_PATH, SPEC_TOKEN_PATH } from "../door.ts";
import { formEndpoint, type OnFailure, TokenError } from "../endpoint.ts";
import { resourceProblem } from "../scopes.ts";
import type { Families } from "../tokens/families.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { requiredParameter } from "./grant.ts";
import { GRANTS } from "./index.ts";

export interface TokenEndpoint {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  authenticateClient: AuthenticateClient;
  onFailure: OnFailure;
}

export function tokenController({ onFailure, ...engine }: TokenEndpoint) {
  const endpoint = (path: string, door: Door) =>
    formEndpoint(path, door, onFailure, (request, form) => answer(engine, door, request, form));
  return new Elysia().use(endpoint(SPEC_TOKEN_PATH, "spec")).use(endpoint(RFC_TOKEN_PATH, "rfc"));
}

async function answer(
  { authenticateClient, ...engine }: Omit<TokenEndpoint, "onFailure">,
  door: Door,
  request: Request,
  form: Map<string, string>,
): Promise<TokenResponse> {
  const client = await authenticateClient(request, form);
  const grantType = requiredParameter(form, "grant_type");
  const grant = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (!grant) {
    throw new TokenError("unsupported_grant_type", `grant_type must be ${Object.keys(GRANTS).join(" or ")}.`);
  }
  if (!client.grantTypes.includes(grantType)) {
    throw new TokenError("unauthorized_client", `The client is not permitted to use grant_type ${grantType}.`);
  }
  requireOwnResource(form.get("resource"), engine.tokens.issuer);
  const { scope, ...response } = await grant({ ...engine, request, client, form, door });
  return door === "spec" ? response : { ...response, scope };
}

function requireOwnResource(resource: string | undefined, issuer: string): void {
  const problem = resource ? resourceProblem(resource, issuer) : undefined;
  if (problem) throw new TokenError("invalid_target", problem);
}
