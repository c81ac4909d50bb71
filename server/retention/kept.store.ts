// Counts and sizes of one tenant's rows. They come from these rows alone, so they reveal nothing of other tenants.

import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";

/** Tables with a tenant. The others belong to an event. */
export type Source = "events" | "audit_log";

/** More rows are estimated. */
const COUNTED_TO = 50_000;
/** The pages that an estimate reads: the same share always, because one by the table's size would reveal that size. */
const SAMPLE_PERCENT = 1;
/** The newest rows, whose sizes stand for all. */
export const MEASURED = 500;

const tableOf = (sql: Queries, source: Source) => (source === "events" ? sql`events` : sql`audit_log`);

/** By the day in UTC, the oldest first. */
export async function countByDay(sql: Queries, tenantId: TenantId, source: Source) {
  const table = tableOf(sql, source);
  const [some] = await sql<{ count: number }[]>`
    select count(*) as count from (select from ${table} where tenant_id = ${tenantId} limit ${COUNTED_TO + 1}) counted`;
  const isExact = some!.count <= COUNTED_TO;
  const day = sql`date_trunc('day', uuid_extract_timestamp(id), 'UTC')`;
  const days = isExact
    ? await sql<{ day: Date; count: number }[]>`
        select ${day} as day, count(*) as count from ${table} where tenant_id = ${tenantId} group by 1 order by 1`
    : await sql<{ day: Date; count: number }[]>`
        with sample as (
          select tableoid, ${day} as day, count(*) filter (where tenant_id = ${tenantId}) as own,
            sum(count(*)) over (partition by tableoid) as all
          from ${table} tablesample system (${SAMPLE_PERCENT}) group by 1, 2
        )
        select day, sum(own / "all" * coalesce(
          reltuples / nullif(relpages, 0) * pg_relation_size(c.oid) / current_setting('block_size')::integer,
          "all" * 100 / ${SAMPLE_PERCENT}::integer))::float8 as count
        from sample s join pg_class c on c.oid = s.tableoid where own > 0 group by 1 order by 1`;
  return { days, isExact };
}

export async function listNewest(sql: Queries, tenantId: TenantId, source: Source): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${tableOf(sql, source)} where tenant_id = ${tenantId} order by id desc limit ${MEASURED}`;
  return rows.map(({ id }) => id);
}

/** Rows of the newest of the source, and their bytes without indexes. */
export async function measure(sql: Queries, table: string, key: string, newest: string[]) {
  const [row] = await sql<{ rows: number; bytes: number }[]>`
    select count(*) as rows, coalesce(sum(pg_column_size(t)), 0)::float8 as bytes
    from ${sql(table)} t where ${sql(key)} = any (${newest}::uuid[])`;
  return row!;
}

/** Bytes on disk with indexes, by table. Empty if other tenants share them. */
export async function listSizes(sql: Queries, tenantId: TenantId): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ table: string; bytes: number }[]>`
    select inhparent::regclass::text as table, sum(pg_total_relation_size(inhrelid))::float8 as bytes
    from pg_inherits join pg_partitioned_table on partrelid = inhparent
    where not exists (select from tenants where id <> ${tenantId}) group by 1`;
  return new Map(rows.map(({ table, bytes }) => [table, bytes]));
}

/** Days whose payloads and answers were removed. */
export async function listRemovedDays(sql: Queries): Promise<number[]> {
  const rows = await sql<{ day: Date }[]>`select starts_on as day from removals where parent = 'payloads'`;
  return rows.map(({ day }) => day.getTime());
}
