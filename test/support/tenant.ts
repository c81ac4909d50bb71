// A tenant of a test's own, so that all tests can share one Gatehouse at the same time.

import { connect } from "../../server/db/connection.ts";
import { createTenant } from "../../server/tenants/index.ts";
import { type Api, signIn } from "./api.ts";

/** The Gatehouse a test talks to; `Stack` is one. */
export interface Installed {
  url: string;
  databaseUrl: string;
}

/** The one that `bun run test` has started for all tests. */
export function shared(): Installed {
  return { url: setting("GATEHOUSE_TEST_URL"), databaseUrl: setting("GATEHOUSE_TEST_DATABASE_URL") };
}

/** @example const api = await newTenant(); await api.change({ Name: "Front door" }); */
export async function newTenant({ url, databaseUrl }: Installed = shared()): Promise<Api> {
  const sql = connect(databaseUrl, "gatehouse test", 1);
  try {
    const tenant = await createTenant(sql, `test ${Bun.randomUUIDv7()}`);
    return await signIn(url, tenant);
  } finally {
    await sql.end();
  }
}

/** @throws Error that says how tests are run */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: run the tests by \`bun run test [files]\`.`);
  return value;
}
