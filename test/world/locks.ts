// Locks of PostgreSQL, by which a test decides what happens at the same time.

import type { Sql, Transaction } from "../../server/platform/db/sql.ts";
import { until } from "./api.ts";
import { db } from "./tenant.ts";

export interface Hold {
  release(): Promise<void>;
}

/** In `share` mode others may read the table, in `access exclusive` mode they may not. */
export const holdTable = (table: string, mode: "share" | "access exclusive", sql = db()) =>
  hold(sql, (tx) => tx`lock table ${tx(table)} in ${tx.unsafe(mode)} mode`);

/** A transaction with an id, and without locks. */
export const holdTransaction = (sql = db()) => hold(sql, (tx) => tx`select pg_current_xact_id()`);

async function hold(sql: Sql, take: (tx: Transaction) => PromiseLike<unknown>): Promise<Hold> {
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  const transaction = sql.begin(async (tx) => {
    await take(tx);
    held();
    await isOver;
  });
  await Promise.race([isHeld, transaction]);
  return {
    async release() {
      over();
      await transaction;
    },
  };
}

/** Until so many statements that contain one of these texts wait for a lock. */
export async function untilWaiting(count: number, texts: string[], sql = db()): Promise<void> {
  await until(`${count} statements to wait for a lock: ${texts.join(", ")}`, async () => {
    const waiting = await sql<{ query: string }[]>`
      select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.filter(({ query }) => texts.some((text) => query.includes(text))).length >= count;
  });
}
