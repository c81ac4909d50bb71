import type { RetentionConfig } from "../platform/config/config.ts";
import { countWorkers, isDiskFull, secondsOfOldestDispatch } from "../platform/db/installation-parts.ts";
import { agesOf, keptFrom, namedPartitions } from "../platform/db/partitions.ts";
import type { Sql } from "../platform/db/sql.ts";
import { countUnchained } from "../records/index.ts";

export interface Backlog {
  /** Deliveries, each count limited to COUNTED_TO. */
  pending: number;
  retrying: number;
  held: number;
  /** Those among them whose events are older than their tenant's log is kept. */
  overdue: number;
  dispatches: number;
  /** Seconds since the oldest of them was made; null if there is none. */
  oldestDispatch: number | null;
  /** Seconds since the oldest event with such a delivery; null if there is none. */
  oldestPending: number | null;
  oldestRetrying: number | null;
  /** Unfinished logouts, counted like deliveries. */
  pendingLogouts: number;
  retryingLogouts: number;
  /** Seconds since the oldest of them; null if there is none. */
  oldestLogout: number | null;
  waitingDevices: number;
  heldConnections: number;
  pausedConnections: number;
  tenantsNearLimit: number;
  workers: number;
  diskFull: boolean;
  overduePartitions: number;
  /** Entries of the audit log that are not chained yet, up to 100,000. */
  unchained: Awaited<ReturnType<typeof countUnchained>>;
  /** Seconds since the newest key of each algorithm began to sign. */
  signingKeys: Record<string, number>;
}

/** Bounds the duration of a scrape. */
const COUNTED_TO = 100_000;

/**
 * One query for all tenants, each part using an index. States are literals, because partial indexes cannot be used with
 * parameters. Event ids are in time order; the condition "is not null" selects the index.
 */
export async function readBacklog(sql: Sql, retention: RetentionConfig): Promise<Backlog> {
  const expiredBefore = (ageMs: number) => new Date(Date.now() - ageMs);
  const ages = agesOf(retention);
  const tables = ages.map(([table]) => table);
  const limits = ages.map(([, age]) => expiredBefore(age).toISOString());
  const [row] = await sql<Omit<Backlog, "diskFull" | "unchained">[]>`
    with open_logouts as materialized (
      select state, created_on from logouts where state in ('Pending', 'Retrying') limit ${COUNTED_TO}
    )
    select
      (select count(*) from (select from deliveries where state = 'Pending' and event_id is not null limit ${COUNTED_TO}) counted) as pending,
      (select count(*) from (select from deliveries where state = 'Retrying' and event_id is not null limit ${COUNTED_TO}) counted) as retrying,
      (select count(*) from (select from deliveries where state = 'Held' limit ${COUNTED_TO}) counted) as held,
      (select count(*) from (
        select from deliveries d join tenants t on t.id = d.tenant_id
        where d.state in ('Pending', 'Retrying', 'Held') and not d.is_ping and d.event_id < ${keptFrom(sql, retention.log)}
          -- The shortest time: no newer ones are read.
          and d.event_id < (select ${keptFrom(sql, retention.log)} from tenants t order by t.retention_days limit 1)
        limit ${COUNTED_TO}) counted) as overdue,
      (select count(*) from (select from dispatches limit ${COUNTED_TO}) counted) as dispatches,
      ${secondsOfOldestDispatch(sql)} as "oldestDispatch",
      ${countWorkers(sql)} as workers,
      (select count(*) from unnest(${tables}::text[], ${limits}::timestamptz[]) as kept (table_name, until),
        lateral (${namedPartitions(sql, sql`kept.table_name`)}) p
        where partition_end(parent, starts_on) <= until and not exists (
          select from deliveries d where parent <> 'audit_log' and d.state in ('Pending', 'Retrying', 'Held')
            and d.event_id >= lowest_id(starts_on) and d.event_id < lowest_id(partition_end(parent, starts_on))
        )) as "overduePartitions",
      (select coalesce(jsonb_object_agg(alg, extract(epoch from now() - newest)), '{}')
        from (select alg, max(signs_from) as newest from signing_keys group by alg) keys) as "signingKeys",
      (select extract(epoch from now() - uuid_extract_timestamp(event_id))::float8 from deliveries
        where state = 'Pending' and event_id is not null order by event_id limit 1) as "oldestPending",
      (select extract(epoch from now() - uuid_extract_timestamp(event_id))::float8 from deliveries
        where state = 'Retrying' and event_id is not null order by event_id limit 1) as "oldestRetrying",
      (select count(*) from open_logouts where state = 'Pending') as "pendingLogouts",
      (select count(*) from open_logouts where state = 'Retrying') as "retryingLogouts",
      (select extract(epoch from now() - min(created_on))::float8 from open_logouts) as "oldestLogout",
      (select count(*) from (
        select from device_codes where decided_on is null and expires_on > now() limit ${COUNTED_TO}) counted) as "waitingDevices",
      (select count(*) from alerts where kind = 'NearLimit' and ended_on is null) as "tenantsNearLimit",
      count(*) filter (where state = 'Held') as "heldConnections",
      count(*) filter (where state = 'Paused') as "pausedConnections"
    from webhook_connections where deleted_on is null`;
  return { ...row!, unchained: await countUnchained(sql, COUNTED_TO), diskFull: await isDiskFull(sql) };
}
