// A test's own tenant, so all tests can share one Gatehouse at the same time.

import { connect, type Sql } from "../../server/db/sql.ts";
import { type AdminPassword, createTenant, type NewTenant } from "../../server/tenants/index.ts";
import { type Api, signIn } from "./api.ts";

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
const PATIENT = { connect_timeout: 30 };
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
export async function newTenant({ url, databaseUrl }: Installed = shared()): Promise<Api> {
  const name = `test ${Bun.randomUUIDv7()}`;
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
