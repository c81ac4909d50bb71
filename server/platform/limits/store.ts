import type { Queries, Transaction } from "../db/sql.ts";
import { takeTurn } from "../db/turns.store.ts";
import type { TenantId } from "../ids.ts";
import type { LimitName, TenantBounds } from "../tenant-limits.ts";

/** A process that has not reported for this time has no requests. */
const SILENT_SECONDS = 3;
const PEAK_MINUTES = 10;

export interface Reported {
  tenantId: TenantId;
  events: number;
  requests: number;
  peak: number;
}

/** @param day in UTC: `2026-01-31` */
export async function report(sql: Queries, processId: string, day: string, rows: readonly Reported[]): Promise<void> {
  await sql`
    insert into tenant_usage (tenant_id, process_id, day, events, requests, peak)
    select tenant_id, ${processId}, ${day}::text::date, events, requests, peak
    from unnest(${rows.map((row) => row.tenantId)}::uuid[], ${rows.map((row) => row.events)}::bigint[],
      ${rows.map((row) => row.requests)}::real[], ${rows.map((row) => row.peak)}::real[])
      as u (tenant_id, events, requests, peak)
    on conflict (tenant_id, process_id) do update set day = excluded.day, events = excluded.events,
      requests = excluded.requests, peak = excluded.peak, reported_on = now()`;
}

/** A tenant's own limits, and the counts of other processes. */
export type Elsewhere = Record<LimitName, number | null> & {
  tenantId: TenantId;
  events: number;
  requests: number;
  /** The number of processes with requests of the tenant. */
  processes: number;
  /** The number of records at the last measurement. */
  records: number;
  bytes: number;
};

export function readElsewhere(
  sql: Queries,
  processId: string,
  day: string,
  tenantIds: readonly TenantId[],
): Promise<Elsewhere[]> {
  return sql<Elsewhere[]>`
    select t.id as "tenantId", t.max_records as "MaxRecords", t.max_connections as "MaxConnections",
      t.max_events_per_day as "MaxEventsPerDay", t.max_requests_per_second as "MaxRequestsPerSecond",
      t.max_storage_megabytes as "MaxStorageMegabytes", u.events, u.requests, u.processes,
      coalesce(c.records, 0) as records, coalesce(c.bytes, 0) as bytes
    from tenants t
    left join tenant_counts c on c.tenant_id = t.id
    cross join lateral (
      select coalesce(sum(events) filter (where day = ${day}::text::date), 0)::bigint as events,
        coalesce(sum(requests) filter (where ${isRecent(sql)}), 0)::float8 as requests,
        count(*) filter (where ${isRecent(sql)} and requests > 0) as processes
      from tenant_usage u where u.tenant_id = t.id and u.process_id <> ${processId}
    ) u
    where t.id = any (${[...tenantIds]}::uuid[])`;
}

const isRecent = (sql: Queries) => sql`reported_on > now() - make_interval(secs => ${SILENT_SECONDS})`;

/** Rows of tenant_id, name, used and bound: all limits of all tenants. */
export const usedOfLimits = (sql: Queries, installation: TenantBounds) => sql`
  select t.id as tenant_id, l.name, l.used, least(l.own, l.installation) as bound
  from tenants t
  left join tenant_counts c on c.tenant_id = t.id
  cross join lateral (
    select sum(events) filter (where day = (now() at time zone 'UTC')::date) as events,
      max(peak) filter (where reported_on > now() - make_interval(mins => ${PEAK_MINUTES})) as peak
    from tenant_usage u where u.tenant_id = t.id
  ) u
  cross join lateral (
    select count(*) as connections from webhook_connections w where w.tenant_id = t.id and w.deleted_on is null
  ) w
  cross join lateral (values
    ('MaxRecords', c.records, t.max_records, ${installation.MaxRecords}::int),
    ('MaxConnections', w.connections, t.max_connections, ${installation.MaxConnections}::int),
    ('MaxEventsPerDay', u.events::bigint, t.max_events_per_day, ${installation.MaxEventsPerDay}::int),
    ('MaxRequestsPerSecond', round(u.peak)::bigint, t.max_requests_per_second, ${installation.MaxRequestsPerSecond}::int),
    ('MaxStorageMegabytes', c.bytes / 1000000, t.max_storage_megabytes, ${installation.MaxStorageMegabytes}::int)
  ) as l (name, used, own, installation)`;

export interface Used {
  name: LimitName;
  used: number;
  bound: number;
}

export function readUsed(sql: Queries, installation: TenantBounds, tenantId: TenantId): Promise<Used[]> {
  return sql<Used[]>`
    select name, coalesce(used, 0) as used, bound from (${usedOfLimits(sql, installation)}) l
    where tenant_id = ${tenantId}`;
}

/** Until the end of the transaction, for callers that count. */
export async function lockCount(tx: Transaction, tenantId: TenantId, what: LimitName): Promise<void> {
  await takeTurn(tx, tenantId, what);
}

/** @param tables of entities */
export async function countRecords(sql: Queries, tenantId: TenantId, tables: readonly string[]): Promise<number> {
  let count = 0;
  for (const table of tables) {
    const [row] = await sql<{ count: number }[]>`
      select count(*) as count from ${sql(table)} where tenant_id = ${tenantId}`;
    count += row!.count;
  }
  return count;
}

export async function countConnections(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from webhook_connections where tenant_id = ${tenantId} and deleted_on is null`;
  return row!.count;
}

export async function noteRecords(sql: Queries, tenantId: TenantId, records: number): Promise<void> {
  await sql`
    insert into tenant_counts (tenant_id, records) values (${tenantId}, ${records})
    on conflict (tenant_id) do update set records = excluded.records`;
}

/**
 * Measures the records and the kept bytes of all tenants, and deletes reports of processes that stopped two days ago.
 * @returns the number of deleted reports
 */
export async function measureCounts(sql: Queries, tables: readonly string[]): Promise<number> {
  const records = new Map<TenantId, number>();
  for (const table of tables) {
    const counted = await sql<{ tenantId: TenantId; count: number }[]>`
      select tenant_id as "tenantId", count(*) as count from ${sql(table)} group by 1`;
    for (const { tenantId, count } of counted) records.set(tenantId, (records.get(tenantId) ?? 0) + count);
  }
  await sql`
    insert into tenant_counts (tenant_id, records, bytes)
    select t.id, coalesce(r.records, 0), coalesce(k.bytes, 0)
    from tenants t
    left join unnest(${[...records.keys()]}::uuid[], ${[...records.values()]}::bigint[]) as r (tenant_id, records)
      on r.tenant_id = t.id
    left join (select tenant_id, sum(bytes) as bytes from kept_days group by 1) k on k.tenant_id = t.id
    on conflict (tenant_id) do update
      set records = excluded.records, bytes = excluded.bytes, measured_on = excluded.measured_on`;
  const removed = await sql`delete from tenant_usage where reported_on < now() - interval '2 days'`;
  return removed.count;
}
