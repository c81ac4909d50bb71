// The state of the parts, as PostgreSQL sees them. Only its clock is used, so clock differences do not matter.

import { DISK_FULL } from "./failures.ts";
import { connect, IMPATIENT, type Queries, type Sql } from "./sql.ts";

const WORKER_CONNECTION = "gatehouse worker ready";
const BEAT_INTERVAL_MS = 2_000;
/** After this silence a worker counts as missing, even if its connection is open. */
const MAX_SILENCE_SECONDS = 7;
/** Seconds after which an unrepeated problem counts as solved. */
const TROUBLE_SECONDS = 60;

export interface Heartbeat {
  /** Lets one worker query for all. Workers agree within 2 s; before, several may check, or none until its poll. */
  isFirst(key: string): boolean;
  stop(): Promise<void>;
}

/** Sends a heartbeat every 2 s until `stop`, and learns which other workers send theirs. */
export function startWorkerHeartbeat(databaseUrl: string): Heartbeat {
  // Renewing an old connection would interrupt the heartbeat.
  const sql = connect(databaseUrl, WORKER_CONNECTION, 1, { ...IMPATIENT, max_lifetime: null });
  let beating = false;
  let workers: { pid: number; isOwn: boolean }[] = [];
  const beat = async () => {
    if (beating) return;
    beating = true;
    // After a failure, this worker ignores the others until the next heartbeat.
    workers = await listWorkers(sql).catch(() => []);
    beating = false;
  };
  void beat();
  const timer = setInterval(beat, BEAT_INTERVAL_MS);
  return {
    isFirst(key) {
      // Rendezvous hashing: if a worker ends, only its keys go to others.
      const rank = ({ pid }: { pid: number }) => Bun.hash(`${pid} ${key}`);
      const first = workers.reduce((one, other) => (rank(other) > rank(one) ? other : one), workers[0]!);
      return !workers.some(({ isOwn }) => isOwn) || first.isOwn;
    },
    async stop() {
      clearInterval(timer);
      await sql.end({ timeout: 1 });
    },
  };
}

export interface PartsSeen {
  worker: boolean;
  readOnly: boolean;
  diskFull: boolean;
  /** Seconds that the oldest event has waited for its workflow; null if none waits. */
  oldestDispatch: number | null;
  /** Why workers cannot start deliveries. */
  troubles: string[];
}

/** state_change is hidden for connections of other roles; there the open connection counts. */
const isWorker = (sql: Queries) => sql`
  application_name = ${WORKER_CONNECTION} and datname = current_database()
    and coalesce(state_change > now() - make_interval(secs => ${MAX_SILENCE_SECONDS}), true)`;

function listWorkers(sql: Queries): Promise<{ pid: number; isOwn: boolean }[]> {
  return sql`select pid, pid = pg_backend_pid() as "isOwn" from pg_stat_activity where ${isWorker(sql)}`;
}

/** A part of a statement: the seconds that the oldest event has waited for its workflow. */
export const secondsOfOldestDispatch = (sql: Queries) => sql`
  (select extract(epoch from now() - created_on)::float8 from dispatches order by id limit 1)`;
export const countWorkers = (sql: Queries) => sql`(select count(*) from pg_stat_activity where ${isWorker(sql)})`;

export async function readParts(sql: Sql): Promise<PartsSeen> {
  // Deliveries that wait for their receiver are excluded.
  const [row] = await sql<Omit<PartsSeen, "diskFull">[]>`
    select
      exists (select from pg_stat_activity where ${isWorker(sql)}) as worker,
      current_setting('transaction_read_only')::boolean as "readOnly",
      ${secondsOfOldestDispatch(sql)} as "oldestDispatch",
      (select coalesce(array_agg(distinct reason), '{}') from delivery_troubles
        where noticed_on > now() - make_interval(secs => ${TROUBLE_SECONDS})) as troubles`;
  return { ...row!, diskFull: await isDiskFull(sql) };
}

export async function isDiskFull(sql: Sql): Promise<boolean> {
  if (sql.lacksDisk) sql.lacksDisk = !(await hasRoom(sql));
  return sql.lacksDisk;
}

/** Sorts more than fits in memory, which is the only way to detect a full disk. */
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

/** Records why a worker cannot start deliveries; repeated while it lasts. */
export async function noteTrouble(sql: Queries, workerId: string, reason: string): Promise<void> {
  await sql`
    insert into delivery_troubles (worker_id, reason) values (${workerId}, ${reason})
    on conflict (worker_id) do update set reason = excluded.reason, noticed_on = now()`;
}

/** Clears the worker's problem, and outdated ones. */
export async function clearTrouble(sql: Queries, workerId: string): Promise<void> {
  await sql`
    delete from delivery_troubles
    where worker_id = ${workerId} or noticed_on < now() - make_interval(secs => ${TROUBLE_SECONDS})`;
}
