// A PostgreSQL of the embedded programs, without the rest of an installation.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../../server/db/sql.ts";
import type { Child } from "../../server/embedded/part.ts";
import { nextFreePort } from "../../server/embedded/ports.ts";
import { preparePostgresql } from "../../server/embedded/postgresql.ts";
import { until } from "./api.ts";

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

/** A single session. */
export function session(url: string): Sql & AsyncDisposable {
  const sql = connect(url, "gatehouse test", 1);
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}
