// A PostgreSQL and its hot standby, and a failover between them that ends no session. The former primary stays up but
// becomes read-only, as behind a proxy or a moved name.

import { chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../server/db/migrate.ts";
import { connect } from "../../server/db/sql.ts";
import type { Child } from "../../server/embedded/part.ts";
import { nextFreePort } from "../../server/embedded/ports.ts";
import { preparePostgresql } from "../../server/embedded/postgresql.ts";
import { until } from "./api.ts";
import { newDataDirectory, temporaryDirectory } from "./directories.ts";
import { type Relay, startRelay } from "./relay.ts";

const LOOPBACK = "127.0.0.1";

export interface Pair extends AsyncDisposable {
  /** A relay to the current primary. */
  relay: Relay;
  /** The direct addresses of both. */
  primaryUrl: string;
  standbyUrl: string;
  /** The primary becomes read-only. Its sessions stay open. */
  demote(): Promise<void>;
  /** The standby becomes the primary, with all commits of the first one. */
  promote(): Promise<void>;
  /** New connections then go to the standby. */
  lead(): void;
}

/** @example await using pair = await startPair(); */
export async function startPair(): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const primary = await start(stack, newDataDirectory("primary"));
  await migrate(primary.url);
  const standbyDirectory = temporaryDirectory("standby");
  await copyCluster(primary.url, primary.dataDir, standbyDirectory);
  const standby = await start(stack, standbyDirectory);
  const relay = stack.use(await startRelay(primary.url));
  const kept = stack.move();
  return {
    relay,
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    async demote() {
      await using sql = session(primary.url);
      await sql.unsafe("alter system set default_transaction_read_only = on");
      await sql`select pg_reload_conf()`;
      await until("it to take no writes", async () => {
        const [row] = await sql<{ value: string }[]>`select current_setting('default_transaction_read_only') as value`;
        return row!.value === "on";
      });
    },
    async promote() {
      await using former = session(primary.url);
      await using sql = session(standby.url);
      const [end] = await former<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`;
      await until("all to be there", async () => {
        const [row] = await sql<{ there: boolean }[]>`select pg_last_wal_replay_lsn() >= ${end!.lsn}::pg_lsn as there`;
        return row!.there;
      });
      await sql`select pg_promote()`;
    },
    lead() {
      relay.lead(standby.url);
      relay.mend();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function start(stack: AsyncDisposableStack, dataDir: string): Promise<{ url: string; dataDir: string }> {
  const { part, url } = await preparePostgresql({ dataDir, say: () => {}, signal: new AbortController().signal });
  const port = await nextFreePort(0, LOOPBACK, new Set());
  const child: Child = await part(port).spawn();
  stack.defer(async () => {
    child.kill("SIGQUIT");
    await child.exited;
  });
  const pidFile = join(dataDir, "postgres", "postmaster.pid");
  // A standby's cluster name is "standby".
  await until("PostgreSQL", () => {
    const status = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n")[7]?.trim() : "";
    return status === "ready" || status === "standby";
  });
  return { url: url(port), dataDir };
}

/** Like pg_basebackup, which is not among the embedded programs. */
async function copyCluster(url: string, from: string, to: string): Promise<void> {
  await using sql = session(url);
  await sql`select pg_backup_start('pair', true)`;
  const cluster = join(to, "postgres");
  Bun.spawnSync(["cp", "-a", join(from, "postgres"), join(from, "postgres.password"), to]);
  const [label] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
  const { hostname, port, username, password } = new URL(url);
  const files = {
    backup_label: label!.labelfile,
    "standby.signal": "",
    "postgresql.auto.conf": `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  };
  const { uid, gid } = statSync(cluster);
  rmSync(join(cluster, "postmaster.pid"));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    chownSync(join(cluster, name), uid, gid);
  }
}

function session(url: string) {
  const sql = connect(url, "gatehouse test", 1);
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}
