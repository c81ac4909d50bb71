// A PostgreSQL of the embedded programs, without the rest of an installation.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "../../server/appliance/embedded/part.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { preparePostgresql } from "../../server/appliance/embedded/postgresql.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { expectRestarts, until } from "./until.ts";

export interface StartedPostgresql extends AsyncDisposable {
  url: string;
  dataDir: string;
  pid: number;
}

/** @param dataDir with a cluster, or for a new one @param settings of postgresql.conf */
export async function startPostgresql(
  dataDir: string,
  settings: Record<string, string | number> = {},
  givenPort?: number,
): Promise<StartedPostgresql> {
  expectRestarts();
  const { part, url } = await preparePostgresql({ dataDir, say: () => {}, signal: new AbortController().signal });
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(dataDir, "postgres", "postgresql.conf"), lines.join(""));
  const port = givenPort ?? (await nextFreePort(0, "127.0.0.1", new Set()));
  const child: Child = await part(port).spawn();
  const pidFile = join(dataDir, "postgres", "postmaster.pid");
  // A standby's status is "standby".
  await until("PostgreSQL", () => {
    const status = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n")[7]?.trim() : "";
    return status === "ready" || status === "standby";
  });
  return {
    url: url(port),
    dataDir,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGQUIT");
      await child.exited;
    },
  };
}

/** Defaults of a role that other programs need. Sessions of Gatehouse set their own. */
const DEFAULTS = {
  bytea_output: "escape",
  datestyle: "SQL, DMY",
  default_transaction_isolation: "serializable",
  extra_float_digits: "-5",
  idle_session_timeout: "60s",
  intervalstyle: "sql_standard",
  standard_conforming_strings: "off",
  statement_timeout: "10s",
  timezone: "America/St_Johns",
  transform_null_equals: "on",
};

/** Prepares a database as others do: defaults for the role, and a publication of all tables, also of later ones. */
export async function prepareAsOthersDo(url: string): Promise<void> {
  await using sql = session(url);
  for (const [name, value] of Object.entries(DEFAULTS)) {
    await sql.unsafe(`alter role current_user set ${name} = '${value}'`);
  }
  await sql.unsafe("create publication everything for all tables");
}

/** A single session. */
export function session(url: string): Sql & AsyncDisposable {
  const sql = connect(url, "gatehouse test", 1);
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}

/** Names the superuser as PostgreSQL's image does, because Compose gives its name to another role. @returns its URL */
export async function nameSuperuser(url: string): Promise<string> {
  const named = new URL(url);
  named.username = "postgres";
  await using first = session(url);
  await first.unsafe(`create role postgres superuser login password '${named.password}'`);
  await using sql = session(named.href);
  await sql`alter role ${sql(new URL(url).username)} rename to bootstrap`;
  return named.href;
}
