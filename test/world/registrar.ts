// A tenant that allows registration, and requests to register.

import { expect } from "bun:test";
import { type Answer, type Api, ok } from "./api.ts";
import { newClient } from "./client.ts";
import { expectRfcError } from "./grants.ts";
import { clientOf, request } from "./tenant.ts";

export const REGISTER = "/oauth2/register";
export const REDIRECT = "https://app.example/callback";

/** The tenant's client and its administrator. */
export interface Registrar {
  admin: Api;
  tenantId: string;
  username: string;
  password: string;
}

export async function newRegistrar(
  ClientRegistration: "Off" | "InitialAccessToken" | "Open",
  RegistrationScopes = ["openid", "profile", "email"],
): Promise<Registrar> {
  const { tenant } = await newClient();
  const admin = await clientOf(tenant);
  await ok(admin.patch("/TenantSettings", { ClientRegistration, RegistrationScopes }));
  return { admin, tenantId: tenant.tenantId, ...tenant.admin };
}

export async function initialToken({ admin }: Pick<Registrar, "admin">, body: object = {}): Promise<string> {
  return (await ok(admin.call("POST", "/RegistrationToken", body))).Token;
}

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

export function send(method: string, path: string, token: string | undefined, body?: unknown): Promise<Answer> {
  const headers = { ...bearer(token), ...(body !== undefined && { "content-type": "application/json" }) };
  return request(method, path, { headers, body: typeof body === "string" ? body : JSON.stringify(body) });
}

/** By the tenant's own path, unless a test gives a different one. */
export const register = ({ tenantId }: Registrar, body: unknown, token?: string, path = `${REGISTER}/${tenantId}`) =>
  send("POST", path, token, body);

export const at = (registered: Answer) => new URL(registered.body.registration_client_uri).pathname;

export const metadata = (more: object = {}) => ({ redirect_uris: [REDIRECT], client_name: "Payroll", ...more });
export const PUBLIC = { token_endpoint_auth_method: "none" };

export function expectUnauthorized(answer: Answer): void {
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
  expect(answer.body).toEqual({ error: "invalid_token", error_description: expect.any(String) });
}

export const refused = (answer: Answer, error: string, says?: RegExp) => expectRfcError(answer, 400, error, says);
