// GET and POST /oauth2/userinfo (OIDC Core 5.3, RFC 6750).

import { Elysia } from "elysia";
import type { Sql } from "../../db/connection.ts";
import { type ApiError, BadInput, Permission, Unauthorized } from "../../errors.ts";
import { readForm } from "../../http/body.ts";
import { openToBrowsers, preflight } from "../../http/cross-origin.ts";
import { asApiError } from "../../http/error-record.ts";
import { requireMethod } from "../../http/method.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { USERINFO_PATH } from "../door.ts";
import type { OnFailure } from "../endpoint.ts";
import { userOfSubject } from "../subject.ts";
import { rfcCode } from "../token-error.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { claimNamesOf, claimsOf } from "./claims.ts";
import { findUserClaims } from "./store.ts";

const INVALID_TOKEN = 'Bearer error="invalid_token"';

export interface UserinfoDependencies {
  sql: Sql;
  tokens: Pick<Tokens, "readAccessToken">;
  onFailure: OnFailure;
}

export function userinfoController(deps: UserinfoDependencies) {
  return new Elysia().all(USERINFO_PATH, ({ request }) => respond(deps, request), { parse: "none" });
}

async function respond(deps: UserinfoDependencies, request: Request): Promise<Response> {
  try {
    if (request.method === "OPTIONS") return preflight("GET", "POST");
    requireMethod(request, "GET", "POST");
    return openToBrowsers(Response.json(await userinfo(deps, request), { headers: NO_STORE }));
  } catch (failure) {
    const error = asApiError(failure);
    if (error.status >= 500) deps.onFailure(failure, request);
    return openToBrowsers(errorResponse(error));
  }
}

async function userinfo({ sql, tokens }: UserinfoDependencies, request: Request): Promise<Record<string, unknown>> {
  const token = await presentedToken(request);
  if (token === undefined)
    throw new Unauthorized("Send an access token as Authorization: Bearer <ACCESS_TOKEN>.", "Bearer");
  const claims = await tokens.readAccessToken(token);
  if (!claims) throw new Unauthorized("The access token is expired or invalid.", INVALID_TOKEN);
  const scopes = claims.scope.split(" ");
  const userId = userOfSubject(claims.sub);
  if (userId === undefined || !scopes.includes("openid")) {
    throw new Permission(
      "The access token has to be a user's, with the scope openid.",
      'Bearer error="insufficient_scope", scope="openid"',
    );
  }
  const user = await findUserClaims(sql, claims.tenant, userId, claims.grant_id);
  if (!user) throw new Unauthorized("The user is gone.", INVALID_TOKEN);
  return { ...claimsOf(user, [...claimNamesOf(scopes), ...user.requested]), sub: claims.sub };
}

/** RFC 6750 2.1 and 2.2, but one of them alone. */
async function presentedToken(request: Request): Promise<string | undefined> {
  const header = request.headers.get("authorization");
  const isForm = request.headers.get("content-type")?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  const inForm = request.method === "POST" && isForm ? (await readForm(request)).get("access_token") : undefined;
  if (header !== null && inForm) throw new BadInput("Send the access token in the header or in the form, not both.");
  if (header === null) return inForm || undefined;
  return /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1] ?? "";
}

/** RFC 6750 3.1. */
function errorResponse(error: ApiError): Response {
  const challenge = error.headers["www-authenticate"];
  const code = /error="(\w+)"/.exec(challenge ?? "")?.[1] ?? rfcCode(error.status);
  const body = { error: code, error_description: error.message };
  return Response.json(body, { status: error.status, headers: { ...error.headers, ...NO_STORE } });
}
