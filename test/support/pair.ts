// A PostgreSQL and its hot standby, and a failover between them that ends no session. The former primary stays up but
// becomes read-only, as behind a proxy or a moved name.

import { chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../server/platform/db/migrate.ts";
import type { Queries } from "../../server/platform/db/sql.ts";
import { until } from "../world/api.ts";
import { promote, reloadSettings } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";
import { newDataDirectory, temporaryDirectory } from "./directories.ts";
import { session, startPostgresql } from "./postgresql.ts";
import { type Relay, startRelay } from "./relay.ts";

/** A primary that has written nothing for this long has ended all transactions that write. */
const STILL_MS = 500;

export interface Pair extends AsyncDisposable {
  /** A relay to the current primary. */
  relay: Relay;
  /** The direct addresses of both. */
  primaryUrl: string;
  standbyUrl: string;
  /** Their main processes. */
  primaryPid: number;
  standbyPid: number;
  /** The primary becomes read-only, and its last commits end. Its sessions stay open. */
  demote(): Promise<void>;
  /** The standby becomes the primary, with all commits of the first one. */
  promote(): Promise<void>;
  /** New connections then go to the standby. */
  lead(): void;
}

/** @param isSynchronous a commit waits until the standby has it @example await using pair = await startPair(); */
export async function startPair(isSynchronous = false): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const primaryDirectory = newDataDirectory("primary");
  const standbyDirectory = temporaryDirectory("standby");
  stack.defer(() => {
    for (const directory of [primaryDirectory, standbyDirectory]) rmSync(directory, { recursive: true, force: true });
  });
  const primary = stack.use(await startPostgresql(primaryDirectory));
  await migrate(primary.url);
  await copyCluster(primary.url, primary.dataDir, standbyDirectory);
  const standby = stack.use(await startPostgresql(standbyDirectory));
  if (isSynchronous) await waitForStandby(primary.url);
  const relay = stack.use(await startRelay(primary.url));
  const kept = stack.move();
  return {
    relay,
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    primaryPid: primary.pid,
    standbyPid: standby.pid,
    async demote() {
      await using sql = session(primary.url);
      await sql.unsafe("alter system set default_transaction_read_only = on");
      await reloadSettings(sql);
      await until("it to take no writes", async () => {
        const [row] = await rowsOf("pg_settings", { name: "default_transaction_read_only" }, sql);
        return row.setting === "on";
      });
      // Each session learns of it in its own time.
      await until("its last commits", async () => {
        const before = await writtenTo(sql);
        await Bun.sleep(STILL_MS);
        const writing = (await rowsOf("pg_stat_activity", {}, sql)).some(({ backend_xid }) => backend_xid !== null);
        return (await writtenTo(sql)) === before && !writing;
      });
    },
    async promote() {
      await using former = session(primary.url);
      await using sql = session(standby.url);
      const end = await writtenTo(former);
      await until("all to be there", async () => {
        const [row] = await sql<{ there: boolean }[]>`select pg_last_wal_replay_lsn() >= ${end}::pg_lsn as there`;
        return row!.there;
      });
      await promote(sql);
    },
    lead() {
      relay.lead(standby.url);
      relay.mend();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Where its log ends. */
async function writtenTo(sql: Queries): Promise<string> {
  const [end] = await sql<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`;
  return end!.lsn;
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

async function waitForStandby(url: string): Promise<void> {
  await using sql = session(url);
  await sql.unsafe("alter system set synchronous_standby_names = '*'");
  await reloadSettings(sql);
  await until("the standby to be synchronous", async () => {
    return (await rowsOf("pg_stat_replication", { sync_state: "sync" }, sql)).length > 0;
  });
}
