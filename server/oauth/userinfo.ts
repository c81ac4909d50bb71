// GET and POST /oauth2/userinfo (OIDC Core 5.3, RFC 6750).

import { Elysia } from "elysia";
import { type CheckPossession, type PresentedToken, presentedToken, requirePossession } from "../access/index.ts";
import type { Sql } from "../db/sql.ts";
import { type ApiError, BadInput, Permission, Unauthorized } from "../errors.ts";
import { readForm } from "../http/body.ts";
import { NO_STORE } from "../http/conditions.ts";
import { contextOf } from "../http/context.ts";
import { asApiError } from "../http/error-record.ts";
import { requireMethod } from "../http/request.ts";
import { claimsGiven, userinfoClaims } from "./claims.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import { USER_INFO } from "./contract.ts";
import type { TokenEndpoint } from "./declared.ts";
import { USERINFO_PATH } from "./door.ts";
import { type OnFailure, rfcCode } from "./endpoint.ts";
import { scopesNow } from "./scopes.ts";
import type { AccessTokenClaims } from "./tokens/access-token.ts";
import type { Tokens } from "./tokens/tokens.ts";

const INVALID_TOKEN = 'Bearer error="invalid_token"';

export interface UserinfoDependencies {
  sql: Sql;
  tokens: Pick<Tokens, "readAccessToken">;
  findClient: FindKnownClient;
  checkPossession: CheckPossession;
  onFailure: OnFailure;
}

export const USERINFO: TokenEndpoint = {
  kind: "token",
  path: USERINFO_PATH,
  id: { get: "getUserInfo", post: "postUserInfo" },
  summary: "Read the claims of the user whom the access token is of",
  description:
    "The token has to be a user's, with the scope openid. POST also takes it as access_token in a form. One that is bound " +
    "to a key comes as DPoP, with a DPoP proof (RFC 9449 7).",
  answer: { description: "The claims.", schema: USER_INFO, example: { sub: "user-7", name: "Ana Silva" } },
  refused: {
    400: { when: "The token is sent twice.", error: "invalid_request" },
    401: {
      when: "There is no token, or it is expired or invalid.",
      error: "invalid_token",
      headers: ["WWW-Authenticate"],
    },
    403: {
      when: "The token is no user's, or lacks openid.",
      error: "insufficient_scope",
      headers: ["WWW-Authenticate"],
    },
    413: { when: "The form is too large.", error: "invalid_request" },
  },
};

export function userinfoController(deps: UserinfoDependencies) {
  return new Elysia().all(USERINFO_PATH, ({ request }) => respond(deps, request), { parse: "none" });
}

async function respond(deps: UserinfoDependencies, request: Request): Promise<Response> {
  try {
    requireMethod(request, "GET", "POST");
    return Response.json(await userinfo(deps, request), { headers: NO_STORE });
  } catch (failure) {
    const error = asApiError(failure);
    if (error.status >= 500) deps.onFailure(failure, request);
    return errorResponse(error);
  }
}

async function userinfo(
  { sql, tokens, findClient, checkPossession }: UserinfoDependencies,
  request: Request,
): Promise<Record<string, unknown>> {
  const presented = await tokenOf(request);
  if (presented === undefined)
    throw new Unauthorized("Send an access token as Authorization: Bearer <ACCESS_TOKEN>.", "Bearer");
  const claims = await tokens.readAccessToken(presented.token);
  if (!claims) throw new Unauthorized("The access token is expired or invalid.", INVALID_TOKEN);
  const known = { tenantId: claims.tenant, clientId: claims.client_id };
  await requirePossession(checkPossession, request, presented, { ...known, jkt: claims.cnf?.jkt });
  contextOf(request).client = known;
  const scopes = claims.scope.split(" ");
  const { userId } = claims;
  if (userId === undefined || !scopes.includes("openid")) {
    throw new Permission(
      "The access token has to be a user's, with the scope openid.",
      'Bearer error="insufficient_scope", scope="openid"',
    );
  }
  const client = await clientOf(claims, findClient);
  const named = claims.userinfo_claims ?? [];
  const live = named.length > 0 ? await scopesNow(sql, client.tenantId, client.id, userId) : undefined;
  const about = await userinfoClaims(sql, client, { userId, scopes }, claimsGiven(named, live ?? []));
  if (!about) throw new Unauthorized("The user is gone.", INVALID_TOKEN);
  return { ...about, sub: claims.sub };
}

/** Settings' own tokens never leave the process, and its client is no Application that is found. */
async function clientOf({ client_id, tenant }: AccessTokenClaims, findClient: FindKnownClient) {
  return (await findClient(client_id)) ?? { id: Number(client_id), tenantId: tenant, claimMapping: [] };
}

/** RFC 6750 2.1 and 2.2, but one of them alone. */
async function tokenOf(request: Request): Promise<PresentedToken | undefined> {
  const header = request.headers.get("authorization");
  const isForm = request.headers.get("content-type")?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  const inForm = request.method === "POST" && isForm ? (await readForm(request)).get("access_token") : undefined;
  if (header !== null && inForm) throw new BadInput("Send the access token in the header or in the form, not both.");
  if (header === null) return inForm ? { scheme: "Bearer", token: inForm } : undefined;
  return presentedToken(header) ?? { scheme: "Bearer", token: "" };
}

/** RFC 6750 3.1. */
function errorResponse(error: ApiError): Response {
  const challenge = error.headers["www-authenticate"];
  const code = /error="(\w+)"/.exec(challenge ?? "")?.[1] ?? rfcCode(error.status);
  const body = { error: code, error_description: error.message };
  return Response.json(body, { status: error.status, headers: { ...error.headers, ...NO_STORE } });
}
