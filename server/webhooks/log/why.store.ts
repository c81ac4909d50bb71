import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../platform/ids.ts";
import { type Connection, type ConnectionState, connectionColumns } from "../connections.store.ts";
import { isDrainPaused } from "../redelivery/store.ts";

/** A connection's present state, its state at the event, and its delivery, if there is one. */
export interface ConnectionAtEvent extends Connection {
  createdOn: Date;
  deletedOn: Date | null;
  stateSince: Date | null;
  drainPaused: boolean;
  /** When the event was recorded, by the clock of all these times. */
  eventTime: Date;
  /** The settings at that time; null: it did not exist yet. */
  past: PastVersion | null;
  delivery: ExplainedDelivery | null;
}

export interface PastVersion {
  entities: string[];
  events: string[];
  state: ConnectionState;
  deletedOn: Date | null;
}

export interface ExplainedDelivery {
  id: DeliveryId;
  state: DeliveryState;
  changedOn: Date;
  attempts: number;
  /** Attempts before the last redelivery. */
  earlierAttempts: number;
  /** Runs with an attempt. */
  runs: number;
  attemptUnderWay: boolean;
  /** To a consumer of a Pull connection. */
  isGiven: boolean;
  /** The last ended attempt: its status or failure, and its time. */
  last: { word: string; endedOn: Date } | null;
  /** The first successful attempt, which a redelivery does not change. */
  arrived: { number: number; endedOn: Date } | null;
}

export interface ConnectionAtEventFilter {
  connectionIds?: ConnectionId[];
  /** Connections with a delivery of the event, or without one. */
  concerned?: boolean;
}

/** Newest connection first, including deleted ones; one more than the limit if there are more. */
export async function listConnectionsAtEvent(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  { connectionIds, concerned }: ConnectionAtEventFilter,
  limit: number,
  after: string | undefined,
): Promise<ConnectionAtEvent[]> {
  const rows = await sql<(Connection & Row)[]>`
    with page as (
      select ${connectionColumns(sql)}, created_on as "createdOn", deleted_on as "deletedOn"
      from webhook_connections
      where tenant_id = ${tenantId} ${after ? sql`and id < ${after}` : sql``}
        ${connectionIds ? sql`and id = any (${connectionIds}::uuid[])` : sql``}
        ${
          concerned === undefined
            ? sql``
            : sql`and ${concerned} = exists (
          select from deliveries where event_id = ${eventId} and connection_id = webhook_connections.id)`
        }
      order by id desc limit ${limit + 1}
    ), event as (
      select recorded_on as "eventTime" from events where tenant_id = ${tenantId} and id = ${eventId}
    )
    select page.*, ${isDrainPaused(sql, tenantId, sql`page.id`)} as "drainPaused", "eventTime", since.changed_on as "stateSince",
      past.entities as "entitiesThen", past.events as "eventsThen", past.state as "stateThen",
      case when past.deleted then past.changed_on end as "deletedThen",
      d.id as "deliveryId", d.state as "deliveryState", d.changed_on as "deliveryChangedOn", d.attempts, coalesce(d.redelivered_after[cardinality(d.redelivered_after)], 0) as "earlierAttempts",
      1 + (select count(*) from unnest(d.redelivered_after) as after where after < d.attempts)::int as runs,
      d.attempt_started_on is not null as "attemptUnderWay", d.leased_on is not null as "isGiven", coalesce(a.failure, a.status_code::text) as word,
      a.started_on + a.duration_ms * interval '1 millisecond' as "endedOn", arrived.number as "arrivedNumber",
      arrived.started_on + arrived.duration_ms * interval '1 millisecond' as "arrivedOn"
    from event cross join page
    left join lateral (
      select * from webhook_connection_changes h
      where h.tenant_id = ${tenantId} and h.connection_id = page.id and h.changed_on <= "eventTime"
      order by h.id desc limit 1
    ) past on true
    left join lateral (
      select min(h.changed_on) as changed_on from webhook_connection_changes h
      where h.tenant_id = ${tenantId} and h.connection_id = page.id and h.id > coalesce((
        select max(o.id) from webhook_connection_changes o where o.connection_id = page.id and o.state <> page.state
      ), 0)
    ) since on true
    left join deliveries d on d.tenant_id = ${tenantId} and d.event_id = ${eventId} and d.connection_id = page.id
    left join lateral (
      select * from attempts where event_id = ${eventId} and delivery_id = d.id order by number desc limit 1
    ) a on true
    left join lateral (
      select * from attempts
      where event_id = ${eventId} and delivery_id = d.id and status_code between 200 and 299 order by number limit 1
    ) arrived on true
    order by page.id desc`;
  return rows.map(toConnectionAtEvent);
}

type Row = Pick<ConnectionAtEvent, "createdOn" | "deletedOn" | "stateSince" | "drainPaused" | "eventTime"> & {
  entitiesThen: string[] | null;
  eventsThen: string[];
  stateThen: ConnectionState;
  deletedThen: Date | null;
  deliveryId: DeliveryId | null;
  deliveryState: DeliveryState;
  deliveryChangedOn: Date;
  attempts: number;
  earlierAttempts: number;
  runs: number;
  attemptUnderWay: boolean;
  isGiven: boolean;
  word: string | null;
  endedOn: Date;
  arrivedNumber: number | null;
  arrivedOn: Date;
};

function toConnectionAtEvent(row: Connection & Row): ConnectionAtEvent {
  const { entitiesThen, eventsThen, stateThen, deletedThen, deliveryId, deliveryState, word, endedOn } = row;
  const { arrivedNumber, arrivedOn } = row;
  const { deliveryChangedOn: changedOn, attempts, earlierAttempts, runs, attemptUnderWay, isGiven, ...rest } = row;
  const last = word === null ? null : { word, endedOn };
  const arrived = arrivedNumber === null ? null : { number: arrivedNumber, endedOn: arrivedOn };
  return {
    ...rest,
    past: entitiesThen && { entities: entitiesThen, events: eventsThen, state: stateThen, deletedOn: deletedThen },
    delivery:
      deliveryId === null
        ? null
        : {
            id: deliveryId,
            state: deliveryState,
            changedOn,
            attempts,
            earlierAttempts,
            runs,
            attemptUnderWay,
            isGiven,
            last,
            arrived,
          },
  };
}
