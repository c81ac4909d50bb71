import type { Fragment } from "postgres";
import { keptFrom } from "../../platform/db/partitions.ts";
import type { Queries, Transaction } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import { type ConnectionId, type EventId, lowestIdOf, type TenantId, timeOfId } from "../../platform/ids.ts";
import { type EventOfDelivery, eventColumns } from "../log/recent.store.ts";
import type { STATED_DELIVERY, Stated } from "./contract.ts";

export interface StatementPeriod {
  from: Date;
  to: Date;
}

export interface StatedRow extends EventOfDelivery, LogRow<typeof STATED_DELIVERY.field> {
  eventId: EventId;
  connectionId: ConnectionId;
}

/** Deliveries of a connection with the same outcome. */
export interface StatedGroup {
  connectionId: ConnectionId;
  outcome: Stated;
  count: number;
  firstEvent: EventId;
  lastEvent: EventId;
  firstReached: Date | null;
  lastReached: Date | null;
}

/** All statements of the transaction read the same state. */
export async function beginSnapshot(tx: Transaction): Promise<void> {
  await tx`set transaction isolation level repeatable read, read only`;
}

/** @returns PostgreSQL's time, and the time from which all events are still stored */
export async function readStored(
  sql: Queries,
  tenantId: TenantId,
  retentionMs: number,
  { from, to }: StatementPeriod,
): Promise<{ asOf: Date; keptSince: Date }> {
  const [row] = await sql<{ asOf: Date; kept: string; removed: Date | null }[]>`
    select now() as "asOf", ${keptFrom(sql, retentionMs)}::text as kept, (
      select max(partition_end(r.parent, r.starts_on)) from removals r
      where r.parent = 'events' and r.starts_on < ${to} and partition_end(r.parent, r.starts_on) > ${from}
    ) as removed
    from tenants t where t.id = ${tenantId}`;
  const kept = timeOfId(row!.kept);
  return { asOf: row!.asOf, keptSince: row!.removed && row!.removed > kept ? row!.removed : kept };
}

/** All connections, with deleted ones. */
export async function listConnectionNames(
  sql: Queries,
  tenantId: TenantId,
): Promise<{ id: ConnectionId; name: string }[]> {
  return sql<{ id: ConnectionId; name: string }[]>`
    select id, coalesce(name, '') as name from webhook_connections where tenant_id = ${tenantId} order by id`;
}

/** @param max deliveries to count; one more is counted if there are more */
export async function countStated(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: readonly ConnectionId[],
  period: StatementPeriod,
  max: number,
): Promise<StatedGroup[]> {
  return sql<StatedGroup[]>`
    with stated as materialized (
      select d.connection_id, d.event_id, ${outcome(sql)}
      from unnest(${[...connectionIds]}::uuid[]) as c (id)
        cross join lateral (${owed(sql, tenantId, sql`c.id`, period)}) d ${arrival(sql, period)}
      limit ${max + 1}
    )
    select connection_id as "connectionId", outcome, count(*) as count,
      min(event_id::text) as "firstEvent", max(event_id::text) as "lastEvent",
      min("reachedOn") as "firstReached", max("reachedOn") as "lastReached"
    from stated group by 1, 2`;
}

/** The connections with deliveries, in order. @param max deliveries to count */
export async function countOwed(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: readonly ConnectionId[],
  period: StatementPeriod,
  max: number,
): Promise<{ connectionId: ConnectionId; count: number }[]> {
  return sql<{ connectionId: ConnectionId; count: number }[]>`
    with owed as materialized (
      select d.connection_id from unnest(${[...connectionIds]}::uuid[]) as c (id)
        cross join lateral (${owed(sql, tenantId, sql`c.id`, period)}) d
      limit ${max}
    )
    select connection_id as "connectionId", count(*) as count from owed group by 1 order by 1`;
}

/** A connection's, the oldest event first; one more than the limit if there are more. */
export async function listStated(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  period: StatementPeriod,
  limit: number,
  after: EventId | undefined,
  withPayload: boolean,
): Promise<StatedRow[]> {
  const next = after ? sql`and d.event_id > ${after}` : sql``;
  // NULLS FIRST: the order of the index by connection, read backwards. OFFSET 0: a merge would read all earlier events.
  return sql<StatedRow[]>`
    with page as materialized (
      ${owed(sql, tenantId, sql`${connectionId}`, period)} ${next} order by d.event_id nulls first limit ${limit + 1}
    )
    select d.connection_id as "connectionId", d.id as "deliveryId", d.attempts, ${outcome(sql)},
      ${eventColumns(sql, withPayload)}
    from page d ${arrival(sql, period)} cross join lateral (select * from events e where e.id = d.event_id offset 0) e
    ${withPayload ? sql`left join lateral (select * from payloads p where p.event_id = d.event_id offset 0) p on true` : sql``}
    order by d.event_id`;
}

/** Ids of events contain their times. */
const owed = (sql: Queries, tenantId: TenantId, connectionId: Fragment, { from, to }: StatementPeriod) => sql`
  select d.* from deliveries d
  where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and not d.is_ping
    and d.event_id >= ${lowestIdOf(from)} and d.event_id < ${lowestIdOf(to)}`;

/** For `d`: the first attempt that the receiver accepted, whatever a redelivery came to later. */
const arrival = (sql: Queries, { from, to }: StatementPeriod) => sql`
  left join lateral (
    select a.number, a.started_on + a.duration_ms * interval '1 millisecond' as ended_on from attempts a
    where a.event_id = d.event_id and a.delivery_id = d.id and a.status_code between 200 and 299
      and a.event_id >= ${lowestIdOf(from)} and a.event_id < ${lowestIdOf(to)}
    order by a.number limit 1
  ) a on true`;

const outcome = (sql: Queries) => sql`
  case
    when a.number = 1 then 'FirstAttempt'
    when a.number > d.redelivered_after[1] then 'SentAgain'
    when a.number is not null then 'Retried'
    when d.state in ('Pending', 'Retrying') then 'Open'
    else d.state
  end as outcome,
  case when a.number is null then d.reason end as reason,
  case when a.number is not null then a.ended_on when d.state not in ('Pending', 'Retrying') then d.changed_on end
    as "reachedOn"`;
