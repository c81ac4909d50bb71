// A database for a test on the shared PostgreSQL, empty or migrated, and roles with fewer rights than its owner.

import { migrate } from "../../server/platform/db/migrate.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { rowsOf } from "../world/rows.ts";
import { PATIENT, shared } from "../world/tenant.ts";
import { blockMarked } from "./pages.ts";

export interface EmptyDatabase extends AsyncDisposable {
  url: string;
  sql: Sql;
  /** DATABASE_URL of a new role that may only read and write, also future tables. */
  asReader(): Promise<string>;
}

/** A copy of this costs less than the migrations. */
const TEMPLATE = "test_template";
const TEMPLATE_LOCK = 7_203_416;

/** Like `newEmptyDatabase`, with the schema. */
export async function newMigratedDatabase(): Promise<EmptyDatabase> {
  const admin = connect(shared().databaseUrl, "gatehouse test", 1, PATIENT);
  try {
    await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`;
    const made = await rowsOf("pg_database", { datname: TEMPLATE }, admin);
    if (made.length === 0) {
      const draft = `${TEMPLATE}_draft`;
      await dropDatabase(draft, admin);
      await createDatabase(draft, admin);
      await migrate(urlOf(draft));
      await admin`alter database ${admin(draft)} rename to ${admin(TEMPLATE)}`;
    }
  } finally {
    await admin.end();
  }
  return newEmptyDatabase(TEMPLATE);
}

function urlOf(name: string): string {
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export const createDatabase = (name: string, admin: Sql, template = "template1") =>
  admin`create database ${admin(name)} template ${admin(template)}`;

const dropDatabase = (name: string, admin: Sql) => admin`drop database if exists ${admin(name)} with (force)`;

export async function newEmptyDatabase(template = "template1"): Promise<EmptyDatabase> {
  const name = `test_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const role = `role_${name}`;
  const admin = connect(shared().databaseUrl, "gatehouse test", 1, PATIENT);
  await createDatabase(name, admin, template);
  const url = urlOf(name);
  const sql = connect(url, "gatehouse test", 2, PATIENT);
  let isRoleMade = false;
  return {
    url,
    sql,
    async asReader() {
      const password = crypto.randomUUID();
      await sql.unsafe(`create role ${role} login password '${password}'`);
      isRoleMade = true;
      await sql.unsafe(blockMarked("run: grants").text.replaceAll("app_role", role));
      const own = new URL(url);
      own.username = role;
      own.password = password;
      return own.href;
    },
    async [Symbol.asyncDispose]() {
      await sql.end();
      await dropDatabase(name, admin);
      if (isRoleMade) await admin`drop role ${admin(role)}`;
      await admin.end();
    },
  };
}
