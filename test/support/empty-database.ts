// An empty database for a test on the shared PostgreSQL, and roles with fewer rights than its owner.

import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { shared } from "../world/tenant.ts";
import { blockMarked } from "./pages.ts";

export interface EmptyDatabase extends AsyncDisposable {
  url: string;
  sql: Sql;
  /** DATABASE_URL of a new role that may only read and write, also future tables. */
  asReader(): Promise<string>;
}

export async function newEmptyDatabase(): Promise<EmptyDatabase> {
  const name = `test_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const role = `role_${name}`;
  const admin = connect(shared().databaseUrl, "gatehouse test", 1);
  await admin`create database ${admin(name)}`;
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  const sql = connect(url.href, "gatehouse test", 2);
  let isRoleMade = false;
  return {
    url: url.href,
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
      await admin`drop database ${admin(name)} with (force)`;
      if (isRoleMade) await admin`drop role ${admin(role)}`;
      await admin.end();
    },
  };
}
