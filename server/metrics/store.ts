import type { Queries } from "../db/sql.ts";

/** What all processes together have still to do. */
export interface Backlog {
  /** Deliveries, each count going no further than COUNTED_TO. */
  pending: number;
  retrying: number;
  held: number;
  /** Workflows that are still to be started. */
  dispatches: number;
  /** Seconds since the oldest event with such a delivery; null if there is none. */
  oldestPending: number | null;
  oldestRetrying: number | null;
  /** Logouts of clients, as deliveries are counted. */
  pendingLogouts: number;
  retryingLogouts: number;
  /** Seconds since the oldest of them; null if there is none. */
  oldestLogout: number | null;
  /** Devices whose users have not answered. */
  waitingDevices: number;
  /** Connections that the service holds by itself, and those that somebody paused. */
  heldConnections: number;
  pausedConnections: number;
}

/** So that a scrape costs milliseconds however much is waiting. */
const COUNTED_TO = 100_000;

/**
 * One query over all tenants, each part of it by an index. The states stand in its text, for no plan that holds for any
 * state could use an index of some. Ids of events are in the order of their time; that one is not null says which index.
 */
export async function readBacklog(sql: Queries): Promise<Backlog> {
  const [row] = await sql<Backlog[]>`
    with open_logouts as materialized (
      select state, created_on from logouts where state in ('Pending', 'Retrying') limit ${COUNTED_TO}
    )
    select
      (select count(*) from (select from deliveries where state = 'Pending' and event_id is not null limit ${COUNTED_TO}) counted) as pending,
      (select count(*) from (select from deliveries where state = 'Retrying' and event_id is not null limit ${COUNTED_TO}) counted) as retrying,
      (select count(*) from (select from deliveries where state = 'Held' limit ${COUNTED_TO}) counted) as held,
      (select count(*) from (select from dispatches limit ${COUNTED_TO}) counted) as dispatches,
      (select extract(epoch from now() - occurred_on)::float8 from events where id =
        (select event_id from deliveries where state = 'Pending' and event_id is not null order by event_id limit 1)) as "oldestPending",
      (select extract(epoch from now() - occurred_on)::float8 from events where id =
        (select event_id from deliveries where state = 'Retrying' and event_id is not null order by event_id limit 1)) as "oldestRetrying",
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
