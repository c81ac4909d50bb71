// A client at the token endpoints, and grants that requests cannot create.

import { expect } from "bun:test";
import { createSigningKeys } from "../../server/identity/oauth/keys/signing-keys.ts";
import { insertFamily } from "../../server/identity/oauth/tokens/families.store.ts";
import { createFamilies } from "../../server/identity/oauth/tokens/families.ts";
import { liveScopes, scopesNow } from "../../server/identity/oauth/tokens/live-scopes.ts";
import { createRevocations } from "../../server/identity/oauth/tokens/revoke.ts";
import { createTokens } from "../../server/identity/oauth/tokens/tokens.ts";
import type { Sql } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createVault } from "../../server/platform/vault.ts";
import type { Api } from "./api.ts";
import { type Answer, ok, TOKEN_PATH } from "./api.ts";
import { RFC_TOKEN_PATH, setCredentials } from "./client.ts";
import { adminIdOf, plantConsent, plantSession } from "./planted.ts";
import { elapse } from "./rows.ts";
import { db, newMember, newTenant, request, setting } from "./tenant.ts";

export const DOORS = [TOKEN_PATH, RFC_TOKEN_PATH] as const;

type Fields = Record<string, string | undefined>;

/** A form; undefined removes a field. */
export function form(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Posts a form as a client, with its credentials in the form. */
export function postAs(client: Pick<Api, "clientId" | "clientSecret">, path: string, fields: Fields): Promise<Answer> {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  return request("POST", path, { body: form({ ...credentials, ...fields }) });
}

/** The refresh token of a client credentials grant, and its access token. */
export async function clientGrant(client: Api, scope = "*"): Promise<{ access: string; refresh: string }> {
  const { body } = await postAs(client, TOKEN_PATH, { grant_type: "client_credentials", scope });
  return { access: body.access_token, refresh: body.refresh_token };
}

export function refresh(client: Api, path: string, token: string, scope?: string): Promise<Answer> {
  return postAs(client, path, { grant_type: "refresh_token", refresh_token: token, scope });
}

/** The check by which a process decides whether a token is still valid. */
export function livenessBy(sql: Sql) {
  type Who = [TenantId, number, number | undefined];
  const knownScopes = (...who: Who) => scopesNow(sql, ...who);
  const live = (...who: Who) => liveScopes(sql, ...who);
  const pairwiseUser = async () => undefined;
  return { isRevoked: createRevocations(sql).isRevoked, pairwiseUser, liveScopes: live, knownScopes };
}

/** The product's own parts, as in a second process of the same installation. */
export function otherProcess(issuer: string) {
  const vault = createVault(setting("GATEHOUSE_TEST_MASTER_KEY"));
  const keys = createSigningKeys(db(), vault);
  const tokens = createTokens({ keys, issuer, lifetime: 3600, ...livenessBy(db()) });
  return { keys, tokens, families: createFamilies({ vault, tokens, onReuse: () => {} }) };
}

/** A family of the tenant's admin with the client, as a sign-in makes it. */
export async function userFamily(client: Api, issuer: string, scopes: string[]) {
  const userId = await adminIdOf(client);
  const authTime = Math.floor(Date.now() / 1000) - 60;
  await plantConsent(client, userId, client.clientId, scopes);
  const sessionId = await plantSession(client, userId);
  const { family, ...started } = otherProcess(issuer).families.start({
    clientId: Number(client.clientId),
    userId,
    scopes,
    sessionId,
    authTime,
    acr: "1",
    amr: ["pwd"],
  });
  await insertFamily(db(), client.tenantId as TenantId, family);
  return { ...started, userId, authTime, sessionId };
}

/** Simulates elapsed time of a family. */
export async function age(familyId: string, interval: string): Promise<void> {
  await elapse(interval, "refresh_families", { id: familyId }, ["rotated_on", "expires_on"]);
}

/** RFC 6749 5.2, complete. */
export function expectRfcError(answer: Answer, status: number, error: string, says?: RegExp): void {
  expect(answer.body).toEqual({ error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("pragma")).toBe("no-cache");
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  if (says) expect(answer.body.error_description).toMatch(says);
}

export interface Secret {
  clientId: string;
  clientSecret: string;
}

/** The form of SPEC.md Endpoints 3, with additional or replaced fields; undefined removes one. */
export function formOf(client: Secret, fields: Record<string, string | undefined> = {}): URLSearchParams {
  const all = {
    grant_type: "client_credentials",
    client_id: client.clientId,
    client_secret: client.clientSecret,
    ...fields,
  };
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export function askToken(body: BodyInit, headers: Record<string, string> = {}): Promise<Answer> {
  return request("POST", TOKEN_PATH, { body, headers });
}

export function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

/** Changed by another administrator, because a client may not remove its own access to Settings. */
export async function changeCredentials(own: Api, changes: Record<string, unknown>): Promise<void> {
  await ok((await newMember(own, "admin")).patch(`/Application/${own.clientId}/Credentials`, changes));
}

/** A client with a secret and every grant, which the API does not allow for public clients. It is not cached yet. */
export async function newClientOfType(type: string): Promise<Secret> {
  const { tenant } = await newTenant();
  await setCredentials(tenant.client.clientId, { client_type: type });
  return tenant.client;
}

/** SPEC.md "Token endpoint errors", complete. */
export function expectTokenError(answer: Answer, status: number, word: string, says?: RegExp): void {
  expect(answer.body).toEqual({
    error: word,
    error_description: expect.stringMatching(/./),
    Errors: [expect.stringMatching(/./)],
    Type: `/Errors/${word}`,
    Title: expect.stringMatching(/./),
    StatusCode: status,
    Instance: TOKEN_PATH,
  });
  expect(answer.headers.get("x-request-id")).toMatch(/./);
  expect(answer.status).toBe(status);
  expect(answer.body.error_description).toBe(answer.body.Errors[0]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  if (says) expect(answer.body.error_description).toMatch(says);
}
