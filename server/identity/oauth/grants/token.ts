// The token endpoint: /oAuth/rest/v2/Token (docs/behaviour.md "Token request") and /oauth2/token (RFC 6749 3.2).

import { Elysia } from "elysia";
import type { Sql } from "../../../platform/db/sql.ts";
import type { Api } from "../apis/contract.ts";
import type { FindApis } from "../apis/known-apis.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { Client } from "../clients/store.ts";
import { RFC_TOKEN_RESPONSE, TOKEN_REQUEST, TOKEN_RESPONSE, type TokenResponse } from "../contract.ts";
import { CLIENT, type FormEndpoint } from "../declared.ts";
import { type Door, RFC_TOKEN_PATH, SPEC_TOKEN_PATH } from "../door.ts";
import { type Dpop, REFUSED_PROOF } from "../dpop/possession.ts";
import { DPOP_HEADER } from "../dpop/proof.ts";
import { type ClientRequest, formEndpoint, type OnFailure } from "../endpoint.ts";
import { mayNotUse, TokenError } from "../errors.ts";
import { apisInReach, InvalidTarget, resourcesIn } from "../resources.ts";
import { asksForOthers } from "../scope-parameter.ts";
import type { Families } from "../tokens/families.ts";
import type { IssuedTokens } from "../tokens/issued.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { boundTo } from "./bound.ts";
import type { GrantRequest } from "./grant.ts";
import { GRANTS } from "./index.ts";

export interface TokenEndpointDependencies {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  findApis: FindApis;
  access: GrantRequest["access"];
  authenticateClient: AuthenticateClient;
  dpop: Dpop;
  issued: Pick<IssuedTokens, "count">;
  onFailure: OnFailure;
}

const TOKENS = { token_type: "Bearer", expires_in: 3600, access_token: "<ACCESS_TOKEN>" };
const REFUSED = [
  { when: "The request is invalid.", error: new TokenError("invalid_request", "grant_type is missing.") },
  {
    when: "The client is not permitted to use the grant, or the code or refresh_token is another client's.",
    error: new TokenError("unauthorized_client", mayNotUse("authorization_code")),
  },
];

export const SPEC_TOKEN: FormEndpoint<typeof TOKEN_REQUEST> = {
  kind: "form",
  door: "spec",
  path: SPEC_TOKEN_PATH,
  id: "requestToken",
  form: TOKEN_REQUEST,
  refused: REFUSED,
  summary: "Request an access token",
  description:
    "The client authenticates with client_id and client_secret in the form, or with the Basic header (RFC 6749 2.3.1), " +
    "not both. An empty field counts as absent; only resource may be repeated.",
  repeatable: ["resource"],
  examples: {
    clientCredentials: { grant_type: "client_credentials", ...CLIENT, scope: "*" },
    authorizationCode: { grant_type: "authorization_code", ...CLIENT, code: "<CODE>" },
    refreshToken: { grant_type: "refresh_token", ...CLIENT, refresh_token: "<REFRESH_TOKEN>" },
  },
  answer: {
    description: "The tokens.",
    schema: TOKEN_RESPONSE,
    example: { ...TOKENS, refresh_token: "<REFRESH_TOKEN>" },
  },
};

export const RFC_TOKEN: FormEndpoint<typeof TOKEN_REQUEST> = {
  kind: "form",
  door: "rfc",
  path: RFC_TOKEN_PATH,
  id: "token",
  form: TOKEN_REQUEST,
  summary: "Request an access token (RFC 6749 3.2)",
  description:
    "With a DPoP proof (RFC 9449), the access token is bound to the proof's key. Every error in the tokens of a " +
    "token exchange (RFC 8693) is invalid_request.",
  refused: [...REFUSED, ...REFUSED_PROOF],
  repeatable: ["resource"],
  examples: { form: { grant_type: "client_credentials", ...CLIENT, scope: "AccessManager:Read" } },
  answer: {
    description: "The tokens.",
    schema: RFC_TOKEN_RESPONSE,
    example: { ...TOKENS, scope: "AccessManager:Read" },
  },
};

export function tokenController(deps: TokenEndpointDependencies) {
  const endpoint = (declared: typeof SPEC_TOKEN) =>
    formEndpoint(declared, deps, (asked) => answer(deps, declared.door, asked));
  return new Elysia().use(endpoint(SPEC_TOKEN)).use(endpoint(RFC_TOKEN));
}

async function answer(
  deps: TokenEndpointDependencies,
  door: Door,
  asked: ClientRequest<typeof TOKEN_REQUEST>,
): Promise<TokenResponse> {
  const { sql, dpop, findApis, access } = deps;
  const { request, client, form } = asked;
  const grantType = form.grant_type;
  const grant = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (!grant) {
    throw new TokenError("unsupported_grant_type", `grant_type must be ${Object.keys(GRANTS).join(" or ")}.`);
  }
  if (!client.grantTypes.includes(grantType)) {
    throw new TokenError("unauthorized_client", mayNotUse(grantType));
  }
  const allApis = await findApis(client.tenantId);
  const apis = apisInReach(allApis, client);
  const jkt = door === "rfc" ? await dpop.keyOf(request, client) : undefined;
  requireBinding(door, request, client, jkt);
  const issuing = boundTo(jkt, client, deps);
  const {
    scope = "",
    asked: requested,
    ...issued
  } = await tellingTarget(async () => {
    const resource = NAMES_RESOURCE.test(asked.text)
      ? namedResource(apis, deps.tokens.issuer, new URLSearchParams(asked.text))
      : undefined;
    return grant({ ...asked, ...issuing, sql, door, apis, allApis, access, resource, jkt });
  });
  deps.issued.count(client.tenantId, grantType);
  const response = { token_type: jkt === undefined ? "Bearer" : "DPoP", ...issued } as const;
  // RFC 6749 5.1: scope may be omitted if it equals the requested one.
  return door === "spec" && !asksForOthers(requested, scope) ? response : { ...response, scope };
}

/** The spec door issues only Bearer tokens (docs/behaviour.md "Token response"). @throws TokenError */
function requireBinding(door: Door, request: Request, { dpopBound }: Client, jkt: string | undefined): void {
  if (door === "spec" && (dpopBound || request.headers.has(DPOP_HEADER))) {
    throw new TokenError("invalid_request", `Tokens bound to a key (DPoP) are issued only at ${RFC_TOKEN_PATH}.`);
  }
  // RFC 9449 5.2.
  if (dpopBound && jkt === undefined) {
    throw new TokenError("invalid_dpop_proof", "The client must send a DPoP proof: the header DPoP is missing.");
  }
}

/** Whether a form may have one of these fields: a letter of a name may be percent-encoded. */
const NAMES_RESOURCE = /resource|audience|%[4-7]/i;

/** The only resource of a token request; undefined if it names none. @throws InvalidTarget (RFC 8707 2) */
function namedResource(apis: readonly Api[], issuer: string, request: URLSearchParams): string | undefined {
  const [named, ...others] = resourcesIn(apis, issuer, request);
  if (others.length === 0) return named;
  throw new InvalidTarget("An access token is for one resource. Request one token for each.");
}

async function tellingTarget<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InvalidTarget ? new TokenError(error.code, error.message) : error;
  }
}
