// GET and POST /oauth2/userinfo (OIDC Core 5.3, RFC 6750).

import { Elysia } from "elysia";
import type { Sql } from "../../platform/db/sql.ts";
import { type ApiError, BadInput, Permission, Unauthorized } from "../../platform/errors.ts";
import { readForm } from "../../platform/http/body.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { contextOf } from "../../platform/http/context.ts";
import { asApiError } from "../../platform/http/error-record.ts";
import { requireMethod } from "../../platform/http/request.ts";
import { bearerTokens } from "../../records/index.ts";
import { claimsGiven, userinfoClaims } from "./claims.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import { USER_INFO } from "./contract.ts";
import { type BearerEndpoint, type BearerOperation, SIGN_IN_TAG } from "./declared.ts";
import { USERINFO_PATH } from "./door.ts";
import { type OnFailure, rfcCode } from "./endpoint.ts";
import { scopesNow } from "./tokens/live-scopes.ts";
import type { Tokens } from "./tokens/tokens.ts";

const INVALID_TOKEN = 'Bearer error="invalid_token"';

export interface UserinfoDependencies {
  sql: Sql;
  tokens: Pick<Tokens, "issuer" | "readAnyAccessToken" | "signUserinfo">;
  findClient: FindKnownClient;
  checkPossession: bearerTokens.CheckPossession;
  onFailure: OnFailure;
}

const operation = (id: string): BearerOperation => ({
  id,
  tag: SIGN_IN_TAG,
  security: [{ oauth2: ["openid"] }, { bearer: [] }],
  summary: "Read the claims of the access token's user",
  description:
    "The token must belong to a user and have the scope openid. POST also accepts it as access_token in a form. A token " +
    "bound to a key is sent as DPoP, with a DPoP proof (RFC 9449 7). A client with UserinfoAlg gets the claims as a JWT, " +
    "application/jwt, with iss and aud (OpenID Connect Core 5.3.2).",
  answer: { description: "The claims.", schema: USER_INFO, example: { sub: "user-7", name: "Ana Silva" } },
  refused: {
    400: { when: "The token is sent twice.", error: "invalid_request" },
    401: {
      when: "The token is missing, expired or invalid.",
      error: "invalid_token",
      headers: ["WWW-Authenticate"],
    },
    403: {
      when: "The token does not belong to a user, or lacks openid.",
      error: "insufficient_scope",
      headers: ["WWW-Authenticate"],
    },
    413: { when: "The form is too large.", error: "invalid_request" },
  },
});

export const USERINFO: BearerEndpoint = {
  kind: "bearer",
  path: USERINFO_PATH,
  operations: { get: operation("getUserInfo"), post: operation("postUserInfo") },
};

export function userinfoController(deps: UserinfoDependencies) {
  return new Elysia().all(USERINFO_PATH, ({ request }) => respond(deps, request), { parse: "none" });
}

async function respond(deps: UserinfoDependencies, request: Request): Promise<Response> {
  try {
    requireMethod(request, "GET", "POST");
    return await userinfo(deps, request);
  } catch (failure) {
    const error = asApiError(failure);
    if (error.status >= 500) deps.onFailure(failure, request);
    return errorResponse(error);
  }
}

async function userinfo(
  { sql, tokens, findClient, checkPossession }: UserinfoDependencies,
  request: Request,
): Promise<Response> {
  const presented = await tokenOf(request);
  if (presented === undefined)
    throw new Unauthorized("Send an access token as Authorization: Bearer <ACCESS_TOKEN>.", "Bearer");
  const read = await tokens.readAnyAccessToken(presented.token);
  if (!read) throw new Unauthorized("The access token is expired or invalid.", INVALID_TOKEN);
  const { claims, userId } = read;
  if (claims.aud !== tokens.issuer) {
    const problem = `The access token is for ${claims.aud}, not for userinfo.`;
    const remedy = `Request one with resource=${tokens.issuer}, or without scopes of an API.`;
    throw new Unauthorized(`${problem} ${remedy}`, INVALID_TOKEN);
  }
  const known = { tenantId: claims.tenant, clientId: claims.client_id };
  await bearerTokens.requirePossession(checkPossession, request, presented, { ...known, jkt: claims.cnf?.jkt });
  contextOf(request).client = known;
  const scopes = claims.scope.split(" ");
  if (userId === undefined || !scopes.includes("openid")) {
    throw new Permission(
      "The access token must belong to a user and have the scope openid.",
      'Bearer error="insufficient_scope", scope="openid"',
    );
  }
  // Tokens of Settings never leave the process, and its client is not a regular Application.
  const client = await findClient(claims.client_id);
  const of = client ?? { id: Number(claims.client_id), tenantId: claims.tenant, claimMapping: [] };
  const named = claims.userinfo_claims ?? [];
  const live = named.length > 0 ? await scopesNow(sql, of.tenantId, of.id, userId) : undefined;
  const about = await userinfoClaims(sql, of, { userId, scopes }, claimsGiven(named, live ?? []));
  if (!about) throw new Unauthorized("The user no longer exists.", INVALID_TOKEN);
  const answer = { ...about, sub: claims.sub };
  if (!client?.userinfoAlg) return Response.json(answer, { headers: NO_STORE });
  const headers = { ...NO_STORE, "content-type": "application/jwt" };
  return new Response(await tokens.signUserinfo(client, client.userinfoAlg, answer), { headers });
}

/** RFC 6750 2.1 and 2.2, but only one of them. */
async function tokenOf(request: Request): Promise<bearerTokens.PresentedToken | undefined> {
  const header = request.headers.get("authorization");
  const isForm = request.headers.get("content-type")?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  const inForm = request.method === "POST" && isForm ? (await readForm(request)).get("access_token") : undefined;
  if (header !== null && inForm) throw new BadInput("Send the access token in the header or in the form, not both.");
  if (header === null) return inForm ? { scheme: "Bearer", token: inForm } : undefined;
  return bearerTokens.presentedToken(header) ?? { scheme: "Bearer", token: "" };
}

function errorResponse(error: ApiError): Response {
  const challenge = error.headers["www-authenticate"];
  const code = /error="(\w+)"/.exec(challenge ?? "")?.[1] ?? rfcCode(error.status);
  const body = { error: code, error_description: error.message };
  return Response.json(body, { status: error.status, headers: { ...error.headers, ...NO_STORE } });
}
