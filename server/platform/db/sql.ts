import postgres from "postgres";
import { createBudget } from "../budget.ts";
import type { TenantId } from "../ids.ts";
import { type DriverOptions, parseDatabaseUrl } from "./address.ts";
import { type Driver, queriesOf, type Statements } from "./driver.ts";
import { CANCELLED, DEADLOCK, DISK_FULL, Raced, REJECTED, refusalOf } from "./failures.ts";
import { createListener, type Listener } from "./listener.ts";
import { createPool, type Pool } from "./pool.ts";
import { type Transaction, transact } from "./transaction.ts";

export { atCommit, type Transaction } from "./transaction.ts";

/** Ids are below 2^53, so int8 is parsed as a number. */
const int8 = { to: 20, from: [20], parse: Number, serialize: String };

export interface Sql extends Statements, Pick<Listener, "listen"> {
  /** The maximum of sessions. */
  readonly max: number;
  /** A statement failed because PostgreSQL's disk is full, and no later check found space. */
  lacksDisk: boolean;
  /** Milliseconds by which this process's clock is ahead of PostgreSQL's, as last measured. */
  clockOffset: number;
  onPartitionMissed(name: string): void;
  /** PostgreSQL rejects statements whatever their values: it lacks a privilege, a table, or a key. */
  onRejected(message: string): void;
  /** A statement has waited for a connection of the full pool. */
  onWait(milliseconds: number): void;
  onNotification(channel: string): void;
  pool: Pool["use"];
  /** Repeated after races, so the work has no effects outside the database. @throws Conflict after races */
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Like `begin`, limited by the tenant's share of the pool. @throws TenantBusy, ServiceBusy, Conflict after races */
  beginFor<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** For transactions that may take seconds; together they leave most of the pool. @throws TenantBusy, ServiceBusy */
  beginLong<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A session for the caller alone, which fails once it is lost. */
  reserve(): Promise<ReservedSql>;
  /** Waits until nothing runs. @param timeout in seconds; then the rest fails */
  end(options?: { timeout?: number }): Promise<void>;
}
export interface ReservedSql extends Statements {
  release(): void;
}
/** The argument of store functions, which run alone or in a transaction. */
export type Queries = Sql | Transaction;

/** The maximum number of a tenant's waiting transactions. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 30_000;

/** Milliseconds after which PostgreSQL ends a statement, a wait for a lock, and an idle transaction; 0: never. */
export interface Timeouts {
  statement: number;
  lock: number;
  idle: number;
}

/** The first two, in seconds, fail like an outage of PostgreSQL. */
export interface Patience {
  /** For a statement's response; then its session ends. */
  answer_timeout?: number;
  wait_timeout?: number;
  timeouts?: Timeouts;
}

/** PostgreSQL's timeouts are shorter, so callers learn the reason. The others detect a frozen one, or a silent network. */
export const IMPATIENT: Required<Patience> = {
  answer_timeout: 20,
  wait_timeout: 15,
  timeouts: { statement: 18_000, lock: 15_000, idle: 30_000 },
};
/** For maintenance and commands, whose statements may take minutes. */
export const PATIENT: Timeouts = { statement: 0, lock: 60_000, idle: 60_000 };

/**
 * Sent to each new session, because a database or a role may have other defaults: the driver parses ISO dates and
 * hexadecimal bytes, and the statements assume READ COMMITTED. pgbouncer rejects them as parameters of the start.
 */
function settingsOf({ statement, lock, idle }: Timeouts): string {
  const settings = {
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: idle,
    transaction_timeout: 0,
    idle_session_timeout: 0,
    default_transaction_isolation: "read committed",
    default_transaction_deferrable: "off",
    datestyle: "ISO, YMD",
    intervalstyle: "postgres",
    timezone: "UTC",
    bytea_output: "hex",
    extra_float_digits: 1,
    standard_conforming_strings: "on",
    transform_null_equals: "off",
    client_encoding: "UTF8",
  };
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join("; ");
}

/** Until a session is replaced, in seconds. Random, so processes do not replace theirs at once. */
const lifetime = () => 60 * (30 + Math.random() * 30);

/** Times are in seconds. */
interface ConnectOptions extends Patience {
  onnotice?: DriverOptions["onnotice"];
  connect_timeout?: number;
  idle_timeout?: number;
  /** Null: sessions are never replaced. */
  max_lifetime?: null;
}

/** A tenant's transactions may use half, long ones together a fifth. @param name in pg_stat_activity, for /readyz */
export function connect(databaseUrl: string, name: string, max = 10, given: ConnectOptions = {}): Sql {
  const { options } = parseDatabaseUrl(databaseUrl);
  const driverOptions = {
    ...options,
    max: 1,
    types: { int8 },
    connection: { ...options.connection, application_name: name },
    onnotice: given.onnotice ?? (() => {}),
    // A half-open connection after an outage should not delay its request for long.
    connect_timeout: given.connect_timeout ?? 3,
  } as unknown as DriverOptions;
  const driver = postgres(driverOptions) as unknown as Driver;
  const session = {
    driver: driverOptions,
    settings: settingsOf(given.timeouts ?? PATIENT),
    onFailure({ code, message }: postgres.PostgresError) {
      if (code === DISK_FULL) sql.lacksDisk = true;
      else if (REJECTED.test(code)) sql.onRejected(message);
    },
  };
  const pool = createPool({
    ...session,
    max,
    answerTimeout: given.answer_timeout,
    waitTimeout: given.wait_timeout,
    idleTimeout: given.idle_timeout,
    maxLifetime: given.max_lifetime === null ? Number.POSITIVE_INFINITY : lifetime(),
    onWait: (milliseconds) => sql.onWait(milliseconds),
    onRenew: () => listener.renew(),
  });
  const listener = createListener(driver, {
    ...session,
    onReadOnly: pool.noticeReadOnly,
    onNotification: (channel) => sql.onNotification(channel),
  });
  const limits = { waiting: MAX_WAITING, longestWaitMs: MAX_WAIT_MS };
  const all = createBudget({ ...limits, name: "transactions", perTenant: Math.ceil(max / 2) });
  const long = createBudget({
    ...limits,
    name: "long transactions",
    perTenant: Math.ceil(max / 5),
    total: Math.ceil((2 * max) / 5),
  });
  const sql: Sql = Object.assign(queriesOf(driver, pool.run), {
    max,
    lacksDisk: false,
    clockOffset: 0,
    onPartitionMissed() {},
    onRejected() {},
    onWait() {},
    onNotification() {},
    pool: pool.use,
    listen: listener.listen,
    begin: <T>(work: (tx: Transaction) => Promise<T>) => repeated(sql, () => begin(driver, pool, work)),
    beginFor: <T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>) =>
      all.run(tenantId, () => beginTelling(sql, work)),
    beginLong: <T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>) =>
      long.run(tenantId, () => sql.beginFor(tenantId, work)),
    async reserve() {
      const session = await pool.take();
      return Object.assign(
        queriesOf(driver, (statement) => session.run(statement)),
        { release: () => pool.release(session) },
      );
    },
    async end({ timeout }: { timeout?: number } = {}) {
      await Promise.all([listener.end(), pool.end(timeout)]);
    },
  });
  return sql;
}

/** Fails as soon as its session is lost. */
async function begin<T>(driver: Driver, pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const session = await pool.take();
  try {
    return await new Promise<T>((resolve, reject) => {
      session.fail = reject;
      transact(driver, session, work).then(resolve, reject);
    });
  } finally {
    session.fail = undefined;
    pool.release(session);
  }
}

/** Callbacks for the commit of running transactions. */
const commits = new WeakMap<Queries, (() => void)[]>();

async function beginTelling<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let calls: (() => void)[] = [];
  const result = await sql.begin((tx) => {
    calls = [];
    commits.set(tx, calls);
    return work(tx);
  });
  for (const call of calls) call();
  return result;
}

/** Calls back after the commit; outside a transaction at once, after a rollback never. */
export function onCommit(sql: Queries, call: () => void): void {
  const calls = commits.get(sql);
  if (calls) calls.push(call);
  else call();
}

/** Hides the array's length from the planner, which would otherwise plan again for every few ids at a higher cost. */
export const uuids = (sql: Queries, ids: readonly string[]) => sql`((select ${ids as string[]}::uuid[])::uuid[])`;

/** Longer queries use the share of long transactions. */
const LONG_MS = 1_000;

/** Reads with a time limit for each statement, enforced by PostgreSQL. @returns undefined if the limit was exceeded */
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

// Repeats work after failures that need not recur: races of concurrent callers, and those of partitioned tables
// (docs/decisions/0013-partitions.md).

/** SQLSTATE: a row that the statement waited for has moved to another partition. */
const MOVED = "40001";
/** SQLSTATE and PostgreSQL's function: no partition has the row's id. */
const CHECK_VIOLATION = "23514";
const FINDS_PARTITION = "ExecFindPartition";
const MAX_REPEATS = 10;

/** @param work has no effects outside the database @throws Conflict for one of our triggers, or if races continue */
async function repeated<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_REPEATS || !(await isOver(sql, error))) throw refusalOf(error) ?? error;
    }
  }
}

/** A store function whose statement is repeated, unless it is part of a transaction, which is repeated as a whole. */
export function repeating<Rest extends unknown[], Result>(
  store: (sql: Queries, ...rest: Rest) => Promise<Result>,
): (sql: Queries, ...rest: Rest) => Promise<Result> {
  return (sql, ...rest) => ("isTransaction" in sql ? store(sql, ...rest) : repeated(sql, () => store(sql, ...rest)));
}

/** @returns a store's function without its first argument */
export const boundTo =
  (sql: Sql) =>
  <Rest extends unknown[], Result>(store: (sql: Sql, ...rest: Rest) => Result) =>
  (...rest: Rest): Result =>
    store(sql, ...rest);

interface Failure {
  code?: string;
  routine?: string;
  table_name?: string;
  detail?: string;
}

async function isOver(sql: Sql, error: unknown): Promise<boolean> {
  const { code, routine, table_name: parent, detail } = error as Failure;
  if (code === MOVED || code === DEADLOCK || error instanceof Raced) return true;
  if (code !== CHECK_VIOLATION || routine !== FINDS_PARTITION || !parent) return false;
  // "Partition key of the failing row contains (event_id) = (0197c6f2-…)."
  const [id] = /[\da-f]{8}-[\da-f-]{27}/.exec(detail ?? "") ?? [];
  const at = id === undefined ? sql`now()` : sql`uuid_extract_timestamp(${id})`;
  const [made] = await sql<{ name: string | null }[]>`select make_partition(${parent}, ${at}) as name`;
  if (made?.name) sql.onPartitionMissed(made.name);
  return true;
}

// Detects poolers that give each transaction a different session (pgbouncer's pool_mode=transaction): two concurrent
// clients share a session, or one client has several.

const ROUNDS = 4;

/** @throws SharedSessions if sessions are shared: notifications would be lost and prepared statements fail */
export async function refuseSharedSessions(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, "gatehouse check", 2, IMPATIENT);
  try {
    // Reports a connection failure as a failed statement.
    await pool.unsafe("select");
    // Reserved connections are never reopened silently.
    const [one, other] = [await pool.reserve(), await pool.reserve()];
    const first = await sessionOf(one);
    // In pool_mode=statement even transactions fail.
    if ((await sessionOf(other)) === first) throw new SharedSessions();
    for (let round = 0; round < ROUNDS; round++) {
      await other.unsafe("begin");
      const taken = await sessionOf(other);
      // While that transaction is open, a pooler must give the first client a different session.
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
      "a pooler shares its sessions between clients (pgbouncer's pool_mode=transaction). Gatehouse uses LISTEN and " +
        "prepared statements, which need their own sessions: use pool_mode=session, or PostgreSQL's " +
        "own address.",
    );
  }
}

/** Not prepared, because poolers may not support prepared statements. */
async function sessionOf(sql: ReservedSql): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return row!.pid;
}
