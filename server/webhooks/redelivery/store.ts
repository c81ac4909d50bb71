import type { PendingQuery, Row } from "postgres";
import type { Queries, Transaction } from "../../platform/db/sql.ts";
import {
  type ConnectionId,
  type EventId,
  lowestIdOf,
  type RedeliveryId,
  type TenantId,
  timeOfId,
} from "../../platform/ids.ts";
import { outbox } from "../../records/index.ts";
import type { ConnectionState } from "../connections.store.ts";
import { endHold } from "../holding.store.ts";
import { isClosed } from "../states.store.ts";
import type { RedeliveryFilter, StoredRedelivery } from "./contract.ts";

export const REDELIVERY_CHANNEL = "gatehouse_redelivery";

/** Selects deliveries in the commit order of their events. A Drain selects only Held ones. */
export interface Selection extends Pick<StoredRedelivery, "kind" | "connectionId" | "states" | "from" | "to"> {
  /** Replay: events after this position, */
  lastPosition: number;
  /** and up to this one. */
  endPosition: number;
  /** Replay: excludes deliveries that ended later. */
  asOf: Date | null;
}

export interface Redelivery extends Selection, Omit<StoredRedelivery, keyof Selection> {
  connectionState: ConnectionState;
  draining: boolean;
}

/** The maximum for one delivery, because the start of each run is stored. */
export const MAX_REDELIVERIES = 100;

/** The initial rate of a Drain in deliveries per second. */
export const DRAIN_RATE = 50;

/** FROM and WHERE of the selected deliveries, as `d`. @param payload "gone": the skipped ones without payload */
export function matching(sql: Queries, tenantId: TenantId, selection: Selection, payload: "kept" | "gone" = "kept") {
  const { kind, connectionId, from, to, lastPosition, endPosition, asOf } = selection;
  if (kind === "Drain" || !from || !to || !asOf) {
    return sql`
      from deliveries d
      where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'`;
  }
  // An EventId has the time of its event.
  return sql`
    from deliveries d
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and ${inStates(sql, selection)}
      and d.position > ${lastPosition} and d.position <= ${endPosition}
      and d.event_id >= ${lowestIdOf(from)} and d.event_id < ${lowestIdOf(to)} and not d.is_ping
      and d.changed_on <= ${asOf}
      and ${payload === "kept"}::boolean = exists (select from payloads p where p.event_id = d.event_id)
      and d.redelivery_id is null and cardinality(d.redelivered_after) < ${MAX_REDELIVERIES}`;
}

/** For `d`. With literal states PostgreSQL reads only their partitions. */
export function inStates(sql: Queries, { kind, states }: Pick<Selection, "kind" | "states">) {
  return kind === "Drain" ? sql`d.state = 'Held'` : sql`${isClosed(sql)} and d.state = any (${states}::text[])`;
}

/** After all the tenant's events, because the clock of their recorder may be ahead of this one and PostgreSQL. */
export async function timePastEvents(tx: Transaction, tenantId: TenantId): Promise<Date> {
  const [row] = await tx<{ now: Date; newest: EventId | null }[]>`
    select clock_timestamp() as now, (
      select id from events where tenant_id = ${tenantId} order by id desc limit 1
    ) as newest`;
  const { now, newest } = row!;
  return newest === null ? now : new Date(Math.max(now.getTime(), timeOfId(newest).getTime() + 1));
}

/** The positions of events in a time range, so that events outside it are not scanned. */
export async function positionsOf(
  tx: Transaction,
  tenantId: TenantId,
  from: Date,
  to: Date,
): Promise<Pick<Selection, "lastPosition" | "endPosition">> {
  const [positions] = await tx<Pick<Selection, "lastPosition" | "endPosition">[]>`
    select coalesce(min(position), 1) - 1 as "lastPosition", coalesce(max(position), 0) as "endPosition" from events
    where tenant_id = ${tenantId} and id >= ${lowestIdOf(from)} and id < ${lowestIdOf(to)}`;
  return positions!;
}

export async function countSelected(
  sql: Queries,
  tenantId: TenantId,
  selection: Selection,
): Promise<Pick<Redelivery, "total" | "skipped">> {
  const [row] = await sql<Pick<Redelivery, "total" | "skipped">[]>`
    select (select count(*) ${matching(sql, tenantId, selection)}) as total,
      (select count(*) ${matching(sql, tenantId, selection, "gone")}) as skipped`;
  return row!;
}

/** @throws the violation of redeliveries_open if the connection already has one of this kind */
export async function insertRedelivery(
  tx: Transaction,
  tenantId: TenantId,
  {
    id,
    kind,
    connectionId,
    states,
    from,
    to,
    lastPosition,
    endPosition,
    asOf,
    rate,
    total,
    skipped,
  }: Selection & Pick<Redelivery, "id" | "rate" | "total" | "skipped">,
): Promise<void> {
  await tx`
    insert into redeliveries (id, tenant_id, connection_id, kind, delivery_states, from_time, to_time, last_position,
      end_position, as_of, rate, total, skipped)
    values (${id}, ${tenantId}, ${connectionId}, ${kind}, ${states}::text[], ${from}, ${to}, ${lastPosition},
      ${endPosition}, ${asOf}, ${rate}, ${total}, ${skipped})`;
  await wakeStarters(tx, tenantId, connectionId);
}

const columns = (sql: Queries) => sql`
  r.id, r.kind, r.connection_id as "connectionId", r.delivery_states as states, r.from_time as "from", r.to_time as "to",
  r.last_position as "lastPosition", r.end_position as "endPosition", r.as_of as "asOf", r.state, r.rate, r.total, r.skipped, r.done, r.delivered, r.exhausted,
  r.created_on as "createdOn", r.ended_on as "endedOn", c.state as "connectionState", c.draining`;

export async function findRedelivery(
  sql: Queries,
  tenantId: TenantId,
  id: RedeliveryId,
): Promise<Redelivery | undefined> {
  const [row] = await sql<Redelivery[]>`
    select ${columns(sql)} from redeliveries r join webhook_connections c on c.id = r.connection_id
    where r.tenant_id = ${tenantId} and r.id = ${id}`;
  return row;
}

/** Newest first; one more than the limit if there are more. */
export async function listRedeliveries(
  sql: Queries,
  tenantId: TenantId,
  { ConnectionId, Kind, State }: RedeliveryFilter,
  limit: number,
  after: string | undefined,
): Promise<Redelivery[]> {
  return sql<Redelivery[]>`
    select ${columns(sql)} from redeliveries r join webhook_connections c on c.id = r.connection_id
    where r.tenant_id = ${tenantId} ${after ? sql`and r.id < ${after}` : sql``}
      ${ConnectionId ? sql`and r.connection_id = ${ConnectionId}` : sql``}
      ${Kind ? sql`and r.kind = ${Kind}` : sql``} ${State ? sql`and r.state = ${State}` : sql``}
    order by r.id desc limit ${limit + 1}`;
}

/** Locks the connection first. "update" blocks resuming, pausing and holding it, and new events for it. */
export async function lockRedelivery(
  tx: Transaction,
  tenantId: TenantId,
  id: RedeliveryId,
  lock: "share" | "update",
): Promise<Redelivery | undefined> {
  await tx`
    select from webhook_connections where tenant_id = ${tenantId} and id = (
      select connection_id from redeliveries where tenant_id = ${tenantId} and id = ${id}
    ) ${lock === "update" ? tx`for update` : tx`for key share`}`;
  await tx`select from redeliveries where tenant_id = ${tenantId} and id = ${id} for update`;
  return findRedelivery(tx, tenantId, id);
}

export async function updateRedelivery(
  tx: Transaction,
  tenantId: TenantId,
  { id, connectionId, state, rate }: Pick<Redelivery, "id" | "connectionId" | "state" | "rate">,
): Promise<void> {
  await tx`
    update redeliveries set state = ${state}, rate = ${rate}, lease_until = '-infinity',
      ended_on = case when ${state} = 'Cancelled' then now() end
    where tenant_id = ${tenantId} and id = ${id}`;
  await wakeStarters(tx, tenantId, connectionId);
}

/** A cancelled Drain's remaining deliveries stay Held, and its connection stopped, until it is set to Active. */
export async function stopDraining(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    update webhook_connections set draining = false, state = 'Paused', modified_on = now()
    where tenant_id = ${tenantId} and id = ${connectionId}`;
  // A probe would make it Active again.
  await endHold(tx, tenantId, connectionId);
}

/**
 * Resumes a connection: a Drain sends held deliveries, and new ones wait behind it. Other redeliveries continue.
 * @param tx has locked the connection, and counted its redeliveries' Held deliveries
 * @param byHand false: a Drain that a user paused stays paused
 */
export async function startDrain(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  byHand: boolean,
): Promise<void> {
  await tx`
    with held as (
      select count(*) as total from deliveries
      where tenant_id = ${tenantId} and connection_id = ${connectionId} and state = 'Held'
    ), draining as (
      update webhook_connections set draining = true from held
      where tenant_id = ${tenantId} and id = ${connectionId} and held.total > 0
    )
    insert into redeliveries (id, tenant_id, connection_id, kind, delivery_states, rate, total)
    select ${Bun.randomUUIDv7()}, ${tenantId}, ${connectionId}, 'Drain', '{Held}', ${DRAIN_RATE}, total
    from held where total > 0
    on conflict (connection_id, kind) where state in ('Running', 'Paused')
      do update set state = case when ${byHand} then 'Running' else redeliveries.state end`;
  await tx`
    update redeliveries set lease_until = '-infinity'
    where tenant_id = ${tenantId} and connection_id = ${connectionId} and state in ('Running', 'Paused')`;
  await wakeStarters(tx, tenantId, connectionId);
}

/** Whether a connection's Drain is paused, so new deliveries wait behind it. */
export function isDrainPaused(sql: Queries, tenantId: TenantId, connectionId: PendingQuery<Row[]>) {
  return sql`exists (
    select from redeliveries r
    where r.tenant_id = ${tenantId} and r.connection_id = ${connectionId} and r.kind = 'Drain' and r.state = 'Paused'
  )`;
}

export async function cancelRedeliveries(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<void> {
  await tx`
    update redeliveries set state = 'Cancelled', ended_on = now(), lease_until = '-infinity'
    where tenant_id = ${tenantId} and connection_id = ${connectionId} and state in ('Running', 'Paused')`;
  await wakeStarters(tx, tenantId, connectionId);
}

export async function wakeStarters(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`select pg_notify(${REDELIVERY_CHANNEL}, ''), ${outbox.wakeQueue(tx, tx`${tenantId}::text`, tx`${connectionId}::text`)}`;
}
