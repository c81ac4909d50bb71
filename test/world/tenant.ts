// The Gatehouse that all tests share, a test's own tenant in it, and the tenant's clients and rules.

import { randomBytes } from "node:crypto";
import { digestOf } from "../../server/identity/signin/opaque.ts";
import { type AdminPassword, createTenant, type NewTenant } from "../../server/identity/tenants/index.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { type Answer, type Api, ok, requestAt, type SendOptions, signIn, unique, until } from "./api.ts";

/** The Gatehouse of a test, such as a `Stack`. */
export interface Installed {
  url: string;
  databaseUrl: string;
}

/** The one that `bun run test` has started for all tests. */
export function shared(): Installed {
  return { url: setting("GATEHOUSE_TEST_URL"), databaseUrl: setting("GATEHOUSE_TEST_DATABASE_URL") };
}

/** With many concurrent tests, a connection may have to wait. */
export const PATIENT = { connect_timeout: 30 };
let database: Sql | undefined;
/** With a cheap hash, because thousands of sign-ins check it. Passwords set by a page have the product's own hash. */
const adminPassword = newAdminPassword();

async function newAdminPassword(): Promise<AdminPassword> {
  const password = crypto.randomUUID();
  return { password, hash: await Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 }) };
}

/** The shared database, for state that the API cannot create or read; closed with the process. */
export function db(): Sql {
  database ??= connect(shared().databaseUrl, "gatehouse test", 6, PATIENT);
  return database;
}

/**
 * A client of a new tenant, with a token for all scopes.
 * @example const api = await newTenant(); await api.change({ Name: "Front door" });
 */
export async function newTenant(
  { url, databaseUrl }: Installed = shared(),
  name = `test ${Bun.randomUUIDv7()}`,
): Promise<Api> {
  if (databaseUrl === process.env.GATEHOUSE_TEST_DATABASE_URL) {
    return signIn(url, await createTenant(db(), name, await adminPassword));
  }
  const sql = connect(databaseUrl, "gatehouse test", 1, PATIENT);
  try {
    return await signIn(url, await createTenant(sql, name, await adminPassword));
  } finally {
    await sql.end();
  }
}

/** A second client of the shared Gatehouse, or one of an existing tenant. */
export function clientOf(tenant: NewTenant): Promise<Api> {
  return signIn(shared().url, tenant);
}

/** @throws Error that explains how to run tests */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: run the tests by \`bun run test [files]\`.`);
  return value;
}

/** An anonymous request. */
export function request(method: string, path: string, options?: SendOptions): Promise<Answer> {
  return requestAt(shared().url, method, path, options);
}

const ALL_SCOPES = ["AccessManager", "Webhooks"]
  .flatMap((family) => ["Read", "Create", "Update", "Delete"].map((verb) => `${family}:${verb}`))
  .concat("Settings:Read", "Settings:Update");

/** A new client of the same tenant, a member of these roles. */
export async function newMember(admin: Api, ...roles: string[]): Promise<Api> {
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
  return signIn(shared().url, { ...admin.tenant, client: { clientId, clientSecret, redirectUris: [] } });
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
