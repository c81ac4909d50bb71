// The deliveries of Pull connections: leased in the order of their events, and ended by an acknowledgement. Locks are
// taken in the order connection, delivery.

import { type Transaction, uuids } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../platform/ids.ts";
import type { outbox } from "../../records/index.ts";

export interface PullState {
  /** Milliseconds until the lease ends; 0: there is none. */
  leasedForMs: number;
  leasedUpto: number;
  acknowledgedUpto: number;
}

/** Locks the connection, so that consumers take turns. Changes do not wait for it. */
export async function lockPull(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<PullState | undefined> {
  const [row] = await tx<PullState[]>`
    select coalesce(greatest(0, 1000 * extract(epoch from leased_until - now())), 0)::float8 as "leasedForMs",
      leased_upto as "leasedUpto", acknowledged_upto as "acknowledgedUpto"
    from webhook_connections where tenant_id = ${tenantId} and id = ${connectionId} and deleted_on is null
    for no key update`;
  return row;
}

/** Whether events of the lease are left: they may have been discarded. In a statement of its own, behind the lock. */
export async function hasLeased(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  leasedUpto: number,
): Promise<boolean> {
  const [row] = await tx<{ any: boolean }[]>`
    select exists (
      select from deliveries d
      where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'
        and d.leased_on is not null and d.position <= ${leasedUpto}
    ) as any`;
  return row!.any;
}

export interface WaitingDelivery {
  id: DeliveryId;
  eventId: EventId;
  position: number;
  form: outbox.DeliveryForm | null;
}

/** The oldest, whether they were given to a consumer before or not. */
export function listWaiting(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  limit: number,
): Promise<WaitingDelivery[]> {
  return tx<WaitingDelivery[]>`
    select d.id, d.event_id as "eventId", d.position, d.form from deliveries d
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'
    order by d.position limit ${limit} for update`;
}

/** The bytes of payloads, by event. */
export async function sizesOf(tx: Transaction, ids: EventId[]): Promise<Map<EventId, number>> {
  const rows = await tx<{ id: EventId; bytes: number }[]>`
    select event_id as id, octet_length(payload) + coalesce(octet_length(previous), 0) as bytes from payloads
    where event_id = any (${ids}::uuid[])`;
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** @returns when the lease ends */
export async function lease(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  leased: WaitingDelivery[],
  leaseMs: number,
): Promise<Date> {
  const ids = leased.map(({ id }) => id);
  const [row] = await tx<{ until: Date }[]>`
    with given as (
      update deliveries set leased_on = now()
      where tenant_id = ${tenantId} and id = any (${uuids(tx, ids)}) and state = 'Held'
    )
    update webhook_connections
    set leased_until = now() + ${leaseMs} * interval '1 millisecond', leased_upto = ${leased.at(-1)!.position}
    where tenant_id = ${tenantId} and id = ${connectionId}
    returning leased_until as until`;
  return row!.until;
}

export interface PullBacklog {
  /** The deliveries that are not acknowledged, counted up to a number. */
  waiting: number;
  /** Those between two positions that were Cancelled, so that no consumer gets them. */
  gone: number;
  firstGone: EventId | null;
  lastGone: EventId | null;
}

export async function readBacklog(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  { after, upto, countedTo }: { after: number; upto: number | undefined; countedTo: number },
): Promise<PullBacklog> {
  const [row] = await tx<PullBacklog[]>`
    select count(*) as gone, min(d.event_id::text) as "firstGone", max(d.event_id::text) as "lastGone", (
      select count(*) from (
        select from deliveries h
        where h.tenant_id = ${tenantId} and h.connection_id = ${connectionId} and h.state = 'Held' limit ${countedTo}
      ) as held
    ) as waiting
    from deliveries d
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Cancelled'
      and d.position > ${after} and d.position <= ${upto ?? Number.MAX_SAFE_INTEGER}`;
  return row!;
}

interface Pulled {
  position: number;
  isGiven: boolean;
  /** When a consumer last got it, in PostgreSQL's precision; null: it was sent again since. */
  givenOn: string | null;
}

/** The delivery of an event, if the connection has one. */
export async function findPulled(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  eventId: EventId,
): Promise<Pulled | undefined> {
  const [row] = await tx<Pulled[]>`
    select d.position, d.leased_on::text as "givenOn", d.state <> 'Held' or d.leased_on is not null as "isGiven"
    from deliveries d
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.event_id = ${eventId}`;
  return row;
}

/**
 * Ends the deliveries up to this one that were given with it or before. Deliveries that a consumer got later stay: they
 * were committed late, or sent again. An acknowledgement is logged like a post that was answered with 200.
 * @returns their number
 */
export async function acknowledge(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  { position: upto, givenOn }: Pulled,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    with given as (
      select d.id, d.event_id, d.attempts, d.leased_on from deliveries d
      where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'
        and d.position <= ${upto} and d.leased_on <= ${givenOn}::text::timestamptz
      order by d.position for update
    ), attempt as (
      insert into attempts (event_id, delivery_id, number, started_on, duration_ms, status_code)
      select event_id, id, attempts + 1, leased_on,
        least(2147483647, 1000 * extract(epoch from now() - leased_on))::int, 200
      from given
      on conflict do nothing
    ), connection as (
      update webhook_connections set acknowledged_upto = greatest(acknowledged_upto, ${upto}),
        leased_until = case when leased_upto > ${upto} or exists (
          select from deliveries d
          where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'
            and d.position <= ${upto} and d.leased_on > ${givenOn}::text::timestamptz
        ) then leased_until end
      where tenant_id = ${tenantId} and id = ${connectionId}
    ), ended as (
      update deliveries d set state = 'Delivered', reason = null, attempts = d.attempts + 1, changed_on = now()
      from given where d.id = given.id and d.state = 'Held'
      returning d.id
    )
    select (select count(*) from ended) as count`;
  return row!.count;
}
