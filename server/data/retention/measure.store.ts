// Counts and sizes of what is kept, by tenant and day.

import type { Fragment } from "postgres";
import { namedPartitions } from "../../platform/db/partitions.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import { isOpen } from "../../webhooks/index.ts";
import type { Partition } from "./partitions.store.ts";

export interface ChangedPartition extends Partition {
  changes: number;
  /** null: never. */
  measuredOn: Date | null;
}

/** An arbitrary constant, unique among our advisory locks: maintenance and "Measure now" replace the same rows. */
const MEASURING_LOCK = 5_281_906;
const inTurn = (tx: Queries) => tx`select pg_advisory_xact_lock(${MEASURING_LOCK})`;

/** Partitions whose rows have changed since they were measured, the newest first. */
export function listChanged(sql: Queries, parents: readonly string[]): Promise<ChangedPartition[]> {
  return sql<ChangedPartition[]>`
    select p.parent, p.starts_on as "from", partition_end(p.parent, p.starts_on) as "to", p.changes,
      m.measured_on as "measuredOn"
    from (
      select p.*, pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid) + pg_stat_get_tuples_deleted(oid)
        as changes
      from unnest(${parents as string[]}::text[]) as of (table_name), lateral (${namedPartitions(sql, sql`of.table_name`)}) p
    ) p
    left join measured_partitions m on m.parent = p.parent and m.starts_on = p.starts_on
    where m.changes is distinct from p.changes
    order by p.starts_on desc`;
}

/** Entries of the audit log never change, so only days since the last measurement are counted. */
export function measurePartition(sql: Sql, { parent, from, to, changes, measuredOn }: ChangedPartition): Promise<void> {
  const isAudit = parent === "audit_log";
  const since =
    isAudit && measuredOn && measuredOn > from ? sql`date_trunc('day', ${measuredOn}, 'UTC')` : sql`${from}`;
  const key = sql(parent === "events" || isAudit ? "id" : "event_id");
  const within = (id: Fragment) => sql`${id} >= lowest_id(${since}) and ${id} < lowest_id(${to})`;
  const ofEvent = parent === "payloads" || parent === "attempts" || parent === "responses";
  // A sort or a join may store rows more compactly, so `offset 0` keeps it from their sizes.
  const sized = (columns: Fragment, where: Fragment) => sql`(
    select ${columns}, pg_column_size(r.*) as bytes from ${sql(parent)} r where ${where} offset 0
  ) r`;
  const counted = isAudit
    ? sql`
      select t.id as tenant_id, a.* from tenants t, lateral (
        select date_trunc('day', uuid_extract_timestamp(id), 'UTC') as day, count(*) as rows, sum(bytes) as bytes
        from ${sized(sql`r.id`, sql`r.tenant_id = t.id and ${within(sql`r.id`)}`)} group by 1
      ) a`
    : ofEvent
      ? sql`
      select e.tenant_id, ${from} as day, count(*) as rows, sum(bytes) as bytes
      from ${sized(sql`r.event_id`, within(sql`r.event_id`))}
        join events e on e.id = r.event_id and ${within(sql`e.id`)}
      group by 1`
      : sql`
      select tenant_id, ${from} as day, count(*) as rows, sum(bytes) as bytes
      from ${sized(sql`r.tenant_id`, within(sql`r.${key}`))} group by 1`;
  return sql.begin(async (tx) => {
    await inTurn(tx);
    await tx`
      delete from kept_days where name = ${parent} and day >= (${since} at time zone 'UTC')::date
        and day < (${to} at time zone 'UTC')::date`;
    await tx`
      insert into kept_days (tenant_id, name, day, rows, bytes)
      select tenant_id, ${parent}, (day at time zone 'UTC')::date, rows, bytes from (${counted}) counted`;
    await tx`
      insert into measured_partitions (parent, starts_on, changes) values (${parent}, ${from}, ${changes})
      on conflict (parent, starts_on) do update set changes = excluded.changes, measured_on = excluded.measured_on`;
  }) as Promise<void>;
}

/** By the day of their events. */
export function measureOpen(sql: Sql): Promise<void> {
  return sql.begin(async (tx) => {
    await inTurn(tx);
    await tx`delete from kept_days where name = 'deliveries_open'`;
    await tx`
      insert into kept_days (tenant_id, name, day, rows, bytes)
      select tenant_id, 'deliveries_open', (uuid_extract_timestamp(event_id) at time zone 'UTC')::date, count(*),
        sum(bytes)
      from (
        select d.tenant_id, d.event_id, pg_column_size(d.*) as bytes from deliveries d where ${isOpen(tx)} offset 0
      ) d
      group by 1, 3`;
  }) as Promise<void>;
}

/** For each tenant and table, and for Temporal if its store's size is known. */
export async function recordTotals(sql: Queries, names: readonly string[], temporalBytes: number | undefined) {
  await sql`
    with sizes as (
      select name, (
        select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_partition_tree(name::regclass)
      ) as bytes_on_disk
      from unnest(${names as string[]}::text[]) as name
      union all select 'temporal', ${temporalBytes ?? null}::bigint
    ), today as (
      select (now() at time zone 'UTC')::date as day
    ), expired as (
      delete from kept_totals using today where kept_totals.day <= today.day - ${GROWTH_DAYS}::integer
    )
    insert into kept_totals (tenant_id, name, day, bytes, bytes_on_disk, measured_on)
    select t.id, s.name, today.day, coalesce(k.bytes, 0), s.bytes_on_disk, now()
    from today, tenants t cross join sizes s left join lateral (
      select sum(bytes) as bytes from kept_days k where k.tenant_id = t.id and k.name = s.name
    ) k on true
    where s.bytes_on_disk is not null
    on conflict (tenant_id, name, day) do update
      set bytes = excluded.bytes, bytes_on_disk = excluded.bytes_on_disk, measured_on = excluded.measured_on`;
}

/** The days whose totals are kept. */
export const GROWTH_DAYS = 30;
