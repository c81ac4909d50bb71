// This process's clock beside PostgreSQL's. Signatures of webhooks and times in tokens are by the former.

import type { Logger } from "pino";
import type { Sql } from "./sql.ts";
import { type Passes, startEvery } from "./watch.ts";

/** Receivers accept signatures of 5 minutes; the clock of a receiver may be wrong as well. */
const MAX_OFFSET_MS = 60_000;
const EVERY_MS = 10_000;

/** Measures now and every 10 s, and logs when the difference exceeds a minute. */
export async function startClockWatch(sql: Sql, log: Logger): Promise<Passes> {
  let logged: string | undefined;
  const measure = async () => {
    sql.clockOffset = await offsetOf(sql);
    const problem = clockProblem(sql);
    if (problem && !logged) log.error({ offsetSeconds: Math.round(sql.clockOffset / 1_000) }, problem);
    if (!problem && logged) log.info("this process's clock is right again");
    logged = problem;
  };
  // /readyz and the metrics report a missing PostgreSQL.
  const failed = (err: unknown) => log.debug({ err }, "the clock could not be compared with PostgreSQL's");
  await measure().catch(failed);
  return startEvery(EVERY_MS, measure, failed);
}

/** @returns undefined unless the clocks differ too much */
export function clockProblem({ clockOffset }: Pick<Sql, "clockOffset">): string | undefined {
  if (Math.abs(clockOffset) <= MAX_OFFSET_MS) return undefined;
  const seconds = `${Math.round(Math.abs(clockOffset) / 1_000)} s`;
  return `This process's clock is ${seconds} ${clockOffset > 0 ? "ahead of" : "behind"} PostgreSQL's: receivers reject signatures. Synchronize the clocks.`;
}

/** PostgreSQL has read its clock within the round trip, so the difference is at least this. */
async function offsetOf(sql: Sql): Promise<number> {
  const before = Date.now();
  const [row] = await sql<[{ now: number }]>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  const after = Date.now();
  return before > row.now ? before - row.now : Math.min(0, after - row.now);
}
