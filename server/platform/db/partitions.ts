// Partitions by the time in an id, in UTC: a day each of the activity log, a month each of the audit log.

import type { Fragment } from "postgres";
import type { Queries } from "./sql.ts";

/** Tables of the activity log, by EventId. */
export const LOG_TABLES = [
  "events",
  "payloads",
  "deliveries_closed",
  "attempts",
  "responses",
  "former_outcomes",
] as const;
export const PARTITIONED = [...LOG_TABLES, "audit_log"] as const;

/** The tables among them that PAYLOAD_RETENTION removes. */
export const BODY_TABLES: readonly string[] = ["payloads", "responses"];

/** The tables with the milliseconds for which they are kept; events first, so the log shows none without its deliveries. */
export function agesOf({
  log,
  payloads,
  audit,
}: Record<"log" | "payloads" | "audit", number>): [table: string, age: number][] {
  const ages = LOG_TABLES.map((table): [string, number] => [table, BODY_TABLES.includes(table) ? payloads : log]);
  return [...ages, ["audit_log", audit]];
}

const AHEAD_DAYS = 7;

/** Makes the partitions of the days to come. @returns the names of new ones */
export async function makePartitionsAhead(sql: Queries): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from make_partitions(${[...PARTITIONED]}::text[], now() - interval '1 day',
      now() + make_interval(days => ${AHEAD_DAYS})) as name`;
  return rows.map(({ name }) => name);
}

/** For `t` of tenants: open deliveries of events before this id are older than the log is kept. */
export const keptFrom = (sql: Queries, retentionMs: number) => sql`
  lowest_id(now() - least(t.retention_days * interval '1 day', ${retentionMs} * interval '1 millisecond'))`;

/** A table's partitions: oid, parent and starts_on. */
export const namedPartitions = (sql: Queries, parent: Fragment) => sql`
  select c.oid, ${parent} as parent, to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' as starts_on
  from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = to_regclass(${parent})`;
