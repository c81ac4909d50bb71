import type { Queries } from "./connection.ts";

/** The name of the connection a worker opens once it takes work; it is gone as soon as the worker is. */
export const WORKER_CONNECTION = "gatehouse worker ready";

export async function isWorkerConnected(sql: Queries): Promise<boolean> {
  const [row] = await sql<{ connected: boolean }[]>`
    select exists (
      select from pg_stat_activity where application_name = ${WORKER_CONNECTION} and datname = current_database()
    ) as connected`;
  return row!.connected;
}
