// Clients of one tenant: its administrator, and others with roles from the test.

import { expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { digestOf } from "../../server/signin/index.ts";
import { type Answer, API, db, request, TOKEN_PATH, unique } from "../entities/client.ts";
import { type Api, until } from "../support/api.ts";
import { newTenant } from "../support/tenant.ts";

/** A client with every scope, limited by its roles and policies. */
export interface Person {
  clientId: string;
  token: string;
  get(path: string): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

const ALL_SCOPES = ["AccessManager", "Webhooks"]
  .flatMap((family) => ["Read", "Create", "Update", "Delete"].map((verb) => `${family}:${verb}`))
  .concat("Settings:Read", "Settings:Update");

/** The demo client of a new tenant, a member of the role admin. */
export const newAdmin: () => Promise<Api> = newTenant;

/** A new client of the same tenant, a member of these roles. */
export async function newPerson(admin: Api, ...roles: string[]): Promise<Person> {
  const application = await ok(admin.patch("/Application", { Name: unique("client"), Is_Active: true }));
  const clientId = application.Id as string;
  const clientSecret = randomBytes(16).toString("base64url");
  await db()`
    with credential as (
      insert into credentials (application_id, grant_types, scopes)
      values (${clientId}, '{client_credentials}', ${ALL_SCOPES}::text[]) returning application_id
    )
    insert into client_secrets (id, application_id, digest)
    select gen_random_uuid(), application_id, ${digestOf(clientSecret)} from credential`;
  for (const role of roles) await addMember(admin, role, clientId);
  return personOf(await tokenOf(clientId, clientSecret), clientId);
}

export async function addMember(admin: Api, role: string, clientId: string): Promise<void> {
  const { Members } = await roleOf(admin, role);
  await ok(admin.patch("/Role", { Name: role, Members: [...Members, { Type: "Application", Id: clientId }] }));
}

export async function roleOf(admin: Api, name: string) {
  const { Items } = await ok(admin.get("/Role?Limit=200"));
  return Items.find((role: { Name: string }) => role.Name === name);
}

/**
 * @param text Cedar
 * @returns the saved policy
 */
export function savePolicy(admin: Pick<Api, "patch">, name: string, text: string) {
  return until("the policy to be checked in time, on a machine that many tests share", async () => {
    const answer = await admin.patch("/Policy", { Name: name, Policy: text });
    const isSlow = [400, 409].includes(answer.status) && /took more than \d+ ms to check/.test(answer.body.Errors[0]);
    return !isSlow && ok(Promise.resolve(answer));
  });
}

/** The body of an answer that must be 200. */
export async function ok(answer: Promise<Answer>) {
  const { status, body } = await answer;
  expect({ status, body }).toEqual({ status: 200, body });
  return body;
}

async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope: "*" };
  const { access_token } = await ok(request("POST", TOKEN_PATH, { body: new URLSearchParams(form) }));
  return access_token;
}

function personOf(token: string, clientId: string): Person {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const send = (method: string, path: string, body?: unknown) =>
    request(method, API + path, { headers, body: body === undefined ? undefined : JSON.stringify(body) });
  return {
    clientId,
    token,
    get: (path) => send("GET", path),
    patch: (path, body) => send("PATCH", path, body),
    delete: (path) => send("DELETE", path),
  };
}
