// How the parts stand, as PostgreSQL sees it. Its clock alone is asked, so machines need not agree on the time.

import { DISK_FULL } from "./failures.ts";
import { connect, IMPATIENT, type Queries, type Sql } from "./sql.ts";

/** The name of the connection by which a worker that takes work gives a sign of life. */
const WORKER_CONNECTION = "gatehouse worker ready";
const BEAT_INTERVAL_MS = 2_000;
/** A worker that was silent for longer is not there, though its connection may be: it hangs, or its machine is gone. */
const MAX_SILENCE_SECONDS = 7;
/** After so long without being told again, a trouble is over. */
const TROUBLE_SECONDS = 60;

export interface Heartbeat {
  stop(): Promise<void>;
}

/** Gives a sign of life every 2 s until `stop`. */
export function startWorkerHeartbeat(databaseUrl: string): Heartbeat {
  // A connection that ended of age would leave a gap.
  const sql = connect(databaseUrl, WORKER_CONNECTION, 1, { ...IMPATIENT, max_lifetime: null });
  let beating = false;
  const beat = async () => {
    if (beating) return;
    beating = true;
    // Without PostgreSQL there is nobody to give a sign to; the next beat asks again.
    await sql`select`.catch(() => {});
    beating = false;
  };
  void beat();
  const timer = setInterval(beat, BEAT_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await sql.end({ timeout: 1 });
    },
  };
}

export interface PartsSeen {
  /** Some worker gives signs of life. */
  worker: boolean;
  readOnly: boolean;
  diskFull: boolean;
  /** Seconds that the oldest event has waited for its workflow; null if none waits. */
  oldestDispatch: number | null;
  /** What keeps workers from beginning deliveries, in words. */
  troubles: string[];
}

export async function readParts(sql: Sql): Promise<PartsSeen> {
  // Of another role's connection state_change is hidden; there the connection itself has to do. What waits for its
  // receiver waits by right.
  const [row] = await sql<Omit<PartsSeen, "diskFull">[]>`
    select
      exists (
        select from pg_stat_activity
        where application_name = ${WORKER_CONNECTION} and datname = current_database()
          and coalesce(state_change > now() - make_interval(secs => ${MAX_SILENCE_SECONDS}), true)
      ) as worker,
      current_setting('transaction_read_only')::boolean as "readOnly",
      (select extract(epoch from now() - created_on)::float8 from dispatches order by id limit 1) as "oldestDispatch",
      (select coalesce(array_agg(distinct reason), '{}') from delivery_troubles
        where noticed_on > now() - make_interval(secs => ${TROUBLE_SECONDS})) as troubles`;
  if (sql.lacksDisk) sql.lacksDisk = !(await hasRoom(sql));
  return { ...row!, diskFull: sql.lacksDisk };
}

/** Has PostgreSQL sort more than it may keep in memory. It has no other way to tell whether its disk is full. */
async function hasRoom(sql: Sql): Promise<boolean> {
  try {
    await sql.begin(async (tx) => {
      await tx`set local work_mem = '64kB'`;
      await tx`select count(*) from (select n from generate_series(1, 50000) n order by n desc) sorted`;
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === DISK_FULL) return false;
    throw error;
  }
}

/** Says what keeps a worker from beginning deliveries; told again while it lasts. */
export async function noteTrouble(sql: Queries, workerId: string, reason: string): Promise<void> {
  await sql`
    insert into delivery_troubles (worker_id, reason) values (${workerId}, ${reason})
    on conflict (worker_id) do update set reason = excluded.reason, noticed_on = now()`;
}

/** It is over, or the worker is; so are those that nobody has told of for long. */
export async function clearTrouble(sql: Queries, workerId: string): Promise<void> {
  await sql`
    delete from delivery_troubles
    where worker_id = ${workerId} or noticed_on < now() - make_interval(secs => ${TROUBLE_SECONDS})`;
}
