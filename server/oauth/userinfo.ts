// GET and POST /oauth2/userinfo (OIDC Core 5.3, RFC 6750).

import { Elysia } from "elysia";
import type { Queries, Sql } from "../db/connection.ts";
import { type ApiError, BadInput, Permission, Unauthorized } from "../errors.ts";
import { readForm } from "../http/body.ts";
import { NO_STORE } from "../http/conditions.ts";
import { asApiError } from "../http/error-record.ts";
import { openToBrowsers, preflight, requireMethod } from "../http/request.ts";
import type { TenantId } from "../tenant-id.ts";
import { USER_INFO } from "./contract.ts";
import type { TokenEndpoint } from "./declared.ts";
import { USERINFO_PATH } from "./door.ts";
import { type OnFailure, rfcCode } from "./endpoint.ts";
import { userOfSubject } from "./tokens/jwt.ts";
import type { Tokens } from "./tokens/tokens.ts";
import { findUserClaims, type UserRow } from "./userinfo.store.ts";

const INVALID_TOKEN = 'Bearer error="invalid_token"';

export interface UserinfoDependencies {
  sql: Sql;
  tokens: Pick<Tokens, "readAccessToken">;
  onFailure: OnFailure;
}

export const USERINFO: TokenEndpoint = {
  kind: "token",
  path: USERINFO_PATH,
  id: { get: "getUserInfo", post: "postUserInfo" },
  summary: "Read the claims of the user whom the access token is of",
  description: "The token has to be a user's, with the scope openid. POST also takes it as access_token in a form.",
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

// What we can say of a user (OIDC Core 5.1 and 5.4).

type ClaimValue = string | number | boolean;

const CLAIMS: Record<string, (user: UserRow) => ClaimValue | null> = {
  name: (user) => user.name,
  preferred_username: (user) => user.username,
  email: (user) => user.email,
  email_verified: (user) => (user.email ? user.email === user.verifiedEmail : null),
  phone_number: (user) => user.mobilePhone,
  phone_number_verified: (user) => (user.mobilePhone ? user.mobilePhone === user.verifiedPhone : null),
  updated_at: (user) => Math.floor(user.updatedOn.getTime() / 1000),
};

export const KNOWN_CLAIMS = Object.keys(CLAIMS);

export function isKnownClaim(name: string): boolean {
  return Object.hasOwn(CLAIMS, name);
}

/** The scope `name` gives the name alone; a User has no postal address, so `address` gives nothing. */
const CLAIMS_OF_SCOPE: Record<string, string[]> = {
  profile: ["name", "preferred_username", "updated_at"],
  name: ["name"],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
};

function claimNamesOf(scopes: Iterable<string>): string[] {
  return [...scopes].flatMap((scope) => (Object.hasOwn(CLAIMS_OF_SCOPE, scope) ? CLAIMS_OF_SCOPE[scope]! : []));
}

/** @returns of those names the claims we know and the user has a value for */
function claimsOf(user: UserRow, names: string[]): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = {};
  for (const name of names) {
    const value = isKnownClaim(name) ? CLAIMS[name]!(user) : null;
    if (value !== null && value !== "") claims[name] = value;
  }
  return claims;
}

/** For an id_token: claims that the claims parameter asked for by name. */
export async function claimsByName(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  names: string[],
): Promise<Record<string, ClaimValue>> {
  const user = names.length > 0 ? await findUserClaims(sql, tenantId, userId, undefined) : undefined;
  return user ? claimsOf(user, names) : {};
}
