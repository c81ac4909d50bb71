import type { Queries } from "../db/sql.ts";
import { lowestIdOf } from "../ids.ts";

export interface Backlog {
  /** Deliveries, each count limited to COUNTED_TO. */
  pending: number;
  retrying: number;
  held: number;
  /** Those among them whose events are older than RETENTION. */
  overdue: number;
  dispatches: number;
  /** Seconds since the oldest event with such a delivery; null if there is none. */
  oldestPending: number | null;
  oldestRetrying: number | null;
  /** Logouts, counted like deliveries. */
  pendingLogouts: number;
  retryingLogouts: number;
  /** Seconds since the oldest of them; null if there is none. */
  oldestLogout: number | null;
  waitingDevices: number;
  heldConnections: number;
  pausedConnections: number;
}

/** Bounds the duration of a scrape. */
const COUNTED_TO = 100_000;

/**
 * One query for all tenants, each part using an index. States are literals, because partial indexes cannot be used with
 * parameters. Event ids are in time order; the condition "is not null" selects the index.
 */
export async function readBacklog(sql: Queries, retentionMs: number): Promise<Backlog> {
  const [row] = await sql<Backlog[]>`
    with open_logouts as materialized (
      select state, created_on from logouts where state in ('Pending', 'Retrying') limit ${COUNTED_TO}
    )
    select
      (select count(*) from (select from deliveries where state = 'Pending' and event_id is not null limit ${COUNTED_TO}) counted) as pending,
      (select count(*) from (select from deliveries where state = 'Retrying' and event_id is not null limit ${COUNTED_TO}) counted) as retrying,
      (select count(*) from (select from deliveries where state = 'Held' limit ${COUNTED_TO}) counted) as held,
      (select count(*) from (
        select from deliveries where state in ('Pending', 'Retrying', 'Held') and event_id < ${lowestIdOf(new Date(Date.now() - retentionMs))}
        limit ${COUNTED_TO}) counted) as overdue,
      (select count(*) from (select from dispatches limit ${COUNTED_TO}) counted) as dispatches,
      (select extract(epoch from now() - uuid_extract_timestamp(event_id))::float8 from deliveries
        where state = 'Pending' and event_id is not null order by event_id limit 1) as "oldestPending",
      (select extract(epoch from now() - uuid_extract_timestamp(event_id))::float8 from deliveries
        where state = 'Retrying' and event_id is not null order by event_id limit 1) as "oldestRetrying",
      (select count(*) from open_logouts where state = 'Pending') as "pendingLogouts",
      (select count(*) from open_logouts where state = 'Retrying') as "retryingLogouts",
      (select extract(epoch from now() - min(created_on))::float8 from open_logouts) as "oldestLogout",
      (select count(*) from (
        select from device_codes where decided_on is null and expires_on > now() limit ${COUNTED_TO}) counted) as "waitingDevices",
      count(*) filter (where state = 'Held') as "heldConnections",
      count(*) filter (where state = 'Paused') as "pausedConnections"
    from webhook_connections where deleted_on is null`;
  return row!;
}
