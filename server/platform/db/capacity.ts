// The connections to PostgreSQL that a process needs (docs/operations.md "Connections").

import type { Logger } from "pino";
import type { Sql } from "./sql.ts";

/** Of an API: for notifications; at start, before the pool is used, for the migration and the check of the pooler. */
const BESIDE_API = 1;
/** Of a worker: for notifications of both pools, the heartbeat, and maintenance. */
const BESIDE_WORKER = 4;

export const connectionsOfApi = (pool: number) => pool + BESIDE_API;
export const connectionsOfWorker = (pool: number) => pool + BESIDE_WORKER;

/** Deliveries have a little more than half, because each uses several statements. */
export function workerPools(pool: number): { deliveries: number; outbox: number } {
  const outbox = Math.round(pool * 0.45);
  return { deliveries: pool - outbox, outbox };
}

/** Behind a pooler the numbers are PostgreSQL's, not the pooler's. */
export async function warnIfFewConnections(sql: Sql, needed: number, variable: string, log: Logger): Promise<void> {
  const [row] = await sql<{ max: number; free: number }[]>`
    select max, max - (select count(*) from pg_stat_activity where backend_type = 'client backend') as free
    from (
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as max
    ) settings`;
  // This process has some already.
  const free = row!.free + sql.pool().active + sql.pool().idle;
  if (free >= needed) return;
  log.warn(
    { needed, free, max: row!.max },
    `this process may need ${needed} connections, and PostgreSQL has ${free} left: raise its max_connections, or lower ${variable}`,
  );
}
