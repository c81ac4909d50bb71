// The connection to PostgreSQL, and what every use of it needs.

import postgres, { type ReservedSql } from "postgres";
import { createBudget } from "../budget.ts";
import type { TenantId } from "../ids.ts";
import { parseDatabaseUrl } from "./address.ts";
import { DISK_FULL } from "./failures.ts";

/** Ids are below 2^53, so int8 is read as a number. */
const int8 = { to: 20, from: [20], parse: Number, serialize: String };

export interface Sql extends postgres.Sql<{ int8: number }> {
  /** A statement has failed because PostgreSQL's disk is full, and none was found to have room since. */
  lacksDisk: boolean;
  /** As `begin`, in the tenant's share of the pool. @throws TenantBusy, ServiceBusy */
  beginFor<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The same for what may take seconds: all tenants' together leave most of the pool to what is quick. @throws as that */
  beginLong<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T>;
}
export type Transaction = postgres.TransactionSql<{ int8: number }>;
/** What a store function needs: it runs alone or inside a transaction. */
export type Queries = Sql | Transaction;

/** Transactions of a tenant that wait for a connection of its share. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 30_000;

/** Seconds, which our patch of the driver heeds. What has waited for longer fails as if PostgreSQL were away. */
export interface Patience {
  /** For PostgreSQL to answer a statement; its connection is closed, and the statement cancelled. */
  answer_timeout?: number;
  /** For a connection of the pool. */
  wait_timeout?: number;
}

/** Where somebody waits: a frozen PostgreSQL, or a network that drops everything, gives no error by itself. */
export const IMPATIENT: Required<Patience> = { answer_timeout: 20, wait_timeout: 15 };

/**
 * Opens a pool. A tenant's transactions have half of it, and long ones a fifth.
 * @param name stands in pg_stat_activity, and tells /readyz which processes are there
 */
export function connect(
  databaseUrl: string,
  name: string,
  max = 10,
  more: Pick<postgres.Options<Record<string, never>>, "max_lifetime" | "connect_timeout"> & Patience = {},
): Sql {
  const { url, ssl, place } = parseDatabaseUrl(databaseUrl);
  const watching = {
    onfailure({ code }: { code: string }) {
      if (code === DISK_FULL) sql.lacksDisk = true;
    },
  };
  const sql = postgres(url, {
    max,
    ssl,
    ...place,
    types: { int8 },
    connection: { application_name: name },
    onnotice: () => {},
    // A restarted PostgreSQL should be found again at once, not after a growing wait.
    backoff: () => 0.25,
    // A connection that PostgreSQL's end has left half made should not hold its request for long.
    connect_timeout: 3,
    ...more,
    ...watching,
  }) as unknown as Sql;
  sql.lacksDisk = false;
  const limits = { waiting: MAX_WAITING, longestWaitMs: MAX_WAIT_MS };
  const all = createBudget({ ...limits, name: "transactions", perTenant: Math.ceil(max / 2) });
  const long = createBudget({
    ...{ ...limits, name: "long transactions" },
    ...{ perTenant: Math.ceil(max / 5), total: Math.ceil((2 * max) / 5) },
  });
  sql.beginFor = <T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>) =>
    all.run(tenantId, () => beginTelling(sql, work));
  sql.beginLong = (tenantId, work) => long.run(tenantId, () => sql.beginFor(tenantId, work));
  return sql;
}

/** What to call when a transaction that is under way has committed. */
const commits = new WeakMap<Queries, (() => void)[]>();

async function beginTelling<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const calls: (() => void)[] = [];
  const result = (await sql.begin((tx) => {
    commits.set(tx as Transaction, calls);
    return work(tx as Transaction);
  })) as T;
  for (const call of calls) call();
  return result;
}

/** Calls once what was done is committed: now, outside of a transaction. One that is rolled back calls nothing. */
export function onCommit(sql: Queries, call: () => void): void {
  const calls = commits.get(sql);
  if (calls) calls.push(call);
  else call();
}

/**
 * Ids as an array whose length PostgreSQL does not look into: one plan serves all of them. Seeing it, PostgreSQL plans
 * anew for every few ids, which costs more than looking those few up.
 */
export const uuids = (sql: Queries, ids: readonly string[]) => sql`((select ${ids as string[]}::uuid[])::uuid[])`;

const CANCELLED = "57014";
/** What may take longer has its place among long transactions. */
const LONG_MS = 1_000;

/**
 * Reads with a limit of time, which PostgreSQL holds for each statement.
 * @returns undefined if it took longer
 */
export async function readWithin<T>(
  sql: Sql,
  tenantId: TenantId,
  limitMs: number,
  read: (queries: Queries) => Promise<T>,
): Promise<T | undefined> {
  const begin = limitMs > LONG_MS ? sql.beginLong : sql.beginFor;
  try {
    return await begin(tenantId, async (tx) => {
      await tx`select set_config('statement_timeout', ${String(limitMs)}, true)`;
      return read(tx);
    });
  } catch (error) {
    if ((error as { code?: string }).code === CANCELLED) return undefined;
    throw error;
  }
}

// A pooler that gives each transaction another session (pgbouncer's pool_mode=transaction) is told of by the sessions
// themselves: two clients that are connected at the same time have the same one, or one client has several.

const ROUNDS = 4;

/** @throws SharedSessions if sessions are not a client's own: no notice would be heard, and prepared statements fail */
export async function refuseSharedSessions(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, "gatehouse check", 2, IMPATIENT);
  try {
    // A failure to connect is a statement's.
    await pool.unsafe("select");
    // A reserved connection is never opened again in silence.
    const [one, other] = [await pool.reserve(), await pool.reserve()];
    const first = await sessionOf(one);
    // Where not even transactions are allowed, pool_mode=statement.
    if ((await sessionOf(other)) === first) throw new SharedSessions();
    for (let round = 0; round < ROUNDS; round++) {
      await other.unsafe("begin");
      const taken = await sessionOf(other);
      // While that transaction is open, a pooler has to give the first client a session that is free.
      if (taken === first || (await sessionOf(one)) !== first) throw new SharedSessions();
      await other.unsafe("commit");
      if ((await sessionOf(one)) !== first) throw new SharedSessions();
    }
  } finally {
    await pool.end({ timeout: 1 });
  }
}

class SharedSessions extends Error {
  override name = "SharedSessions";

  constructor() {
    super(
      "a pooler shares its sessions between clients (pgbouncer's pool_mode=transaction). Gatehouse listens for " +
        "notices and prepares its statements, which needs sessions of its own: use pool_mode=session, or PostgreSQL's " +
        "own address.",
    );
  }
}

/** Unprepared, for a pooler may know no prepared statement. */
async function sessionOf(sql: ReservedSql): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return row!.pid;
}
