// Locks of PostgreSQL, by which a test decides what happens at the same time.

import type { Queries, Sql, Transaction } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { ownRecords } from "../../server/records/index.ts";
import { until } from "./api.ts";
import { sessionOf } from "./postgresql.ts";
import { countOf, matching, rowsOf, type Values } from "./rows.ts";
import { db } from "./tenant.ts";

interface Session {
  pid: number;
  query: string;
  application_name: string;
  query_start: Date;
}

export interface Hold extends AsyncDisposable {
  /** Its session. */
  readonly pid: number;
  release(): Promise<void>;
}

/** In `share` mode others may read the table, in `access exclusive` mode they may not. */
export const holdTable = (table: string, mode: "share" | "share row exclusive" | "access exclusive", sql = db()) =>
  hold(sql, (tx) => tx`lock table ${tx(table)} in ${tx.unsafe(mode)} mode`);

type RowLock = "update" | "no key update" | "update nowait";

/** Rows with these values. */
export const holdRows = (table: string, where: Values, sql = db(), mode: RowLock = "update") =>
  hold(sql, (tx) => lockRows(table, where, tx, mode));

/** The same within a transaction of the test. */
export const lockRows = (table: string, where: Values, tx: Queries, mode: RowLock = "update") =>
  tx`select from ${tx(table)} where ${matching(where, tx)} for ${tx.unsafe(mode)}`;

/** A transaction with an id, and without locks. */
export const holdTransaction = (sql = db()) => hold(sql, (tx) => tx`select pg_current_xact_id()`);

/** A transaction that has read a table. */
export const holdReading = (table: string, sql = db()) => hold(sql, (tx) => countOf(table, {}, tx));

/** As code does that makes Users in this tenant. */
export const holdUsers = (tenantId: string) => hold(db(), (tx) => ownRecords.lockUsers(tx, tenantId as TenantId));

/** A lock that only tests know. It ends with the transaction. */
export const holdNumber = (number: number, sql = db()) => hold(sql, (tx) => lockNumber(number, tx));

export const lockNumber = (number: number, tx: Queries) => tx`select pg_advisory_xact_lock(${number}::bigint)`;

async function hold(sql: Sql, take: (tx: Transaction) => PromiseLike<unknown>): Promise<Hold> {
  const { promise: isHeld, resolve: held } = Promise.withResolvers<number>();
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  const transaction = sql.begin(async (tx) => {
    const pid = await sessionOf(tx);
    await take(tx);
    held(pid);
    await isOver;
  });
  const pid = await Promise.race([isHeld, transaction.then(() => 0)]);
  const release = async () => {
    over();
    await transaction;
  };
  return { pid, release, [Symbol.asyncDispose]: release };
}

/** Until so many statements that contain one of these texts wait for a lock. */
export async function untilWaiting(count: number, texts: string[] = [""], sql = db()): Promise<void> {
  await until(`${count} statements to wait for a lock: ${texts.join(", ")}`, async () => {
    const waiting = await waitingSessions(sql);
    return waiting.filter(({ query }) => texts.some((text) => query.includes(text))).length >= count;
  });
}

/** Sessions of this database that wait for a lock, with their statements. */
export const waitingSessions = (sql: Queries = db()) =>
  rowsOf<Session>("pg_stat_activity", { datname: sql`current_database()`, wait_event_type: "Lock" }, sql);

interface Wait extends Session {
  /** The session that has the lock. */
  holder: { pid: number; name: string };
}

/** The sessions of this database that wait for others, with their statements. */
export const waits = (sql: Queries = db()) => sql<Wait[]>`
  select s.pid, s.query, s.query_start, s.application_name, json_build_object('pid', h.pid, 'name', h.application_name) as holder
  from pg_stat_activity s, unnest(pg_blocking_pids(s.pid)) as blocking join pg_stat_activity h on h.pid = blocking
  where s.datname = current_database()`;

/** The sessions that wait for this one. */
export const waitingFor = async ({ pid }: Pick<Hold, "pid">, sql: Queries = db()) =>
  (await waits(sql)).filter(({ holder }) => holder.pid === pid);
