// PostgreSQL itself: its sessions, its schema and its settings. No API says them.

import type { Queries as Pooled, ReservedSql } from "../../server/platform/db/sql.ts";
import { db } from "./tenant.ts";

type Queries = Pooled | ReservedSql;

/** The smallest statement, for tests of connections. */
export const ping = (queries: Queries) => queries`select`;

/** A statement with a value, whose answer says which it was. */
export const echo = (queries: Queries, n: number) => queries<{ n: number }[]>`select ${n}::int as n`;

interface Long {
  /** The row at which it sleeps. */
  asleep?: number;
  /** The row at which it fails. */
  failing?: number;
}

/** Numbered from 1, and each so long that PostgreSQL sends it at once. */
export const longRows = (queries: Queries, count: number, { asleep = 0, failing = 0 }: Long = {}) =>
  queries<{ n: number }[]>`
    select n::int, repeat('x', 20000), case n when ${asleep} then pg_sleep(60) end, 1 / (${failing} - n)
    from generate_series(1, ${count}::int) n`;

/** Without columns. */
export const makeTable = (name: string, queries: Queries) => queries`create table ${queries(name)} ()`;

/** Takes a table away for a while, so that statements fail. */
export const renameTable = (from: string, to: string, queries: Queries) =>
  queries`alter table ${queries(from)} rename to ${queries(to)}`;

/** As triggers and processes tell each other. */
export const notify = (channel: string, payload: string, queries: Queries = db()) =>
  queries`select pg_notify(${channel}, ${payload})`;

/** A statement that lasts. */
export const sleep = (queries: Queries, seconds: number) => queries`select pg_sleep(${seconds}::float8)`;

/** The process of PostgreSQL that serves the session. */
export async function sessionOf(queries: Queries): Promise<number> {
  const [row] = await queries<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row!.pid;
}

/** Ended like by an administrator, within 5 s. */
export async function endSessions(pids: number[], queries: Queries = db()): Promise<void> {
  await queries`select pg_terminate_backend(pid, 5000) from unnest(${pids}::int[]) as pid`;
}

/** Settings are read again. */
export async function reloadSettings(queries: Queries): Promise<void> {
  await queries`select pg_reload_conf()`;
}

/** The planner learns what the tables have, as from autovacuum after a while. */
export async function analyze(tables: string[], queries: Queries): Promise<void> {
  await queries`analyze ${queries.unsafe(tables.join(", "))}`;
}

export interface Column {
  table: string;
  column: string;
  type: string;
  /** The expression of a generated one. */
  generated: string | null;
}

/** Of all tables, by name. Partitions have those of their table. */
export async function columnsOf(queries: Queries = db()): Promise<Column[]> {
  return queries<Column[]>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
      pg_get_expr(d.adbin, d.adrelid) as generated
    from pg_class c join pg_attribute a on a.attrelid = c.oid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped order by 1, 2`;
}

/** Foreign keys: the column that has one, and the table it points at. */
export async function foreignKeysOf(queries: Queries = db()) {
  return queries<{ table: string; column: string; target: string }[]>`
    select c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as target
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    where c.contype = 'f' and c.conparentid = 0 order by 1, 2`;
}

/** Triggers of the schema, with the function that each calls. */
export async function triggersOf(queries: Queries = db()) {
  return queries<{ name: string; table: string; function: string }[]>`
    select tgname as name, tgrelid::regclass::text as table, tgfoid::regproc::text as function
    from pg_trigger where not tgisinternal`;
}

/** Partitions of a table, with their bytes on disk. */
export async function partitionsOf(table: string, queries: Queries = db()) {
  return queries<{ name: string; bytes: number }[]>`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
    from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = ${table}::regclass order by 1`;
}

/** Of partitioned tables, for times between these. */
export async function makePartitions(tables: string[], from: Date, to: Date, queries: Queries): Promise<void> {
  await queries`select make_partitions(${tables}, ${from}, ${to})`;
}

/** The whole partition of that age, by the product's function. */
export const dropPartition = (table: string, ago: string, queries: Queries) =>
  queries`select drop_partition(${table}, partition_start(${table}, now() - ${ago}::interval))`.execute();

/** Rows that a transaction has read of tables with their partitions and indexes, or of indexes. */
export async function rowsRead(relations: string[], tx: Queries): Promise<number> {
  const [row] = await tx<{ read: number }[]>`
    select sum(coalesce(pg_stat_get_xact_tuples_returned(c.oid), 0))::bigint as read
    from pg_class c left join pg_index i on i.indexrelid = c.oid, (select ${relations}::text[]::regclass[] as of) asked
    where c.oid = any (asked.of)
      or coalesce(i.indrelid, c.oid) in (select relid from unnest(asked.of) one, pg_partition_tree(one))`;
  return row!.read;
}

/** A standby becomes the primary. */
export const promote = (queries: Queries) => queries`select pg_promote()`;
