// Which workers are there, as PostgreSQL sees it. Its clock alone is asked, so machines need not agree on the time.

import { connect, type Queries } from "./connection.ts";

/** The name of the connection by which a worker that takes work gives a sign of life. */
const WORKER_CONNECTION = "gatehouse worker ready";
const BEAT_INTERVAL_MS = 2_000;
/** A worker that was silent for longer is not there, though its connection may be: it hangs, or its machine is gone. */
const MOST_SILENCE_SECONDS = 7;

export interface Heartbeat {
  stop(): Promise<void>;
}

/** Gives a sign of life every 2 s until `stop`. */
export function startWorkerHeartbeat(databaseUrl: string): Heartbeat {
  // A connection that ended of age would leave a gap.
  const sql = connect(databaseUrl, WORKER_CONNECTION, 1, { max_lifetime: null });
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

export async function isWorkerAlive(sql: Queries): Promise<boolean> {
  // Of another role's connection state_change is hidden; there the connection itself has to do.
  const [row] = await sql<{ alive: boolean }[]>`
    select exists (
      select from pg_stat_activity
      where application_name = ${WORKER_CONNECTION} and datname = current_database()
        and coalesce(state_change > now() - make_interval(secs => ${MOST_SILENCE_SECONDS}), true)
    ) as alive`;
  return row!.alive;
}
