// Queued deliveries in PostgreSQL, in event order for each connection: those without a free place in their receiver's
// window, those that a connection's limits delay, and redeliveries. Locks are taken in the order connection, redelivery,
// delivery.

import { DELIVERIES_PER_WORKFLOW } from "../../../workflows/contract.ts";
import { type Queries, repeating, type Transaction, uuids } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, RedeliveryId, TenantId } from "../../platform/ids.ts";
import { outbox } from "../../records/index.ts";
import { inStates, type Redelivery } from "../redelivery/store.ts";
import type { Candidate } from "./candidates.store.ts";
import { deliveryToMake, type WorkflowToStart } from "./dispatch.store.ts";
import type { QueueId } from "./schedule.ts";
import { isClaimed, isQueued } from "./start-attempt.store.ts";

/** An arbitrary constant, unique among our advisory locks. */
const QUEUE_LOCK = 7_203_431;

/**
 * Locks the connections of deliveries that return to the queue. A claim reads queued and claimed deliveries in several
 * statements, with its connection locked for no key update. The share lock waits for the claim. Otherwise a delivery
 * that moves between two statements would be missed, and a later change of its record could begin. Without Order Record
 * no claim is waited for: the key share lock only prevents a change of Order, which needs the lock for update.
 */
const lockedConnections = (sql: Queries, deliveryIds: DeliveryId[]) => sql`
  connection as (
    select id, order_by from webhook_connections where id in (
      select connection_id from deliveries where id = any (${uuids(sql, deliveryIds)}) and state in ('Pending', 'Retrying')
    ) order by id for key share
  ), ordered as (
    select from webhook_connections where id in (select id from connection where order_by = 'Record') order by id for share
  )`;

/** Queues deliveries that no workflow has, and returns them. If a start has succeeded, its delivery stays. */
export const enqueue = repeating(async function enqueue(
  sql: Queries,
  deliveryIds: DeliveryId[],
): Promise<DeliveryId[]> {
  if (deliveryIds.length === 0) return [];
  const rows = await sql<{ id: DeliveryId }[]>`
    with ${lockedConnections(sql, deliveryIds)}
    update deliveries set due_on = now(), begun_on = null
    where id = any (${uuids(sql, deliveryIds)}) and due_on is null and state in ('Pending', 'Retrying')
      and attempts = earlier_attempts and attempt_started_on is null and (select count(*) from ordered) >= 0
    returning id`;
  return rows.map(({ id }) => id);
});

/** Returns deliveries to the queue, due no earlier than before; a claim finds them. @returns false if they have ended */
export const requeue = repeating(async function requeue(
  sql: Queries,
  tenantId: TenantId,
  deliveryIds: DeliveryId[],
  inMs: number,
): Promise<boolean> {
  const rows = await sql`
    with ${lockedConnections(sql, deliveryIds)}
    update deliveries d set due_on = greatest(d.due_on, now() + ${inMs} * interval '1 millisecond'), begun_on = null, changed_on = now()
    where tenant_id = ${tenantId} and id = any (${uuids(sql, deliveryIds)}) and state in ('Pending', 'Retrying')
      and (select count(*) from ordered) >= 0
    returning ${outbox.wakeQueue(sql, sql`d.tenant_id`, sql`d.connection_id`)}`;
  return rows.length > 0;
});

/** Connections with queued deliveries or a Running redelivery. */
export function listQueues(sql: Queries): Promise<QueueId[]> {
  return sql<QueueId[]>`
    with recursive waiting (connection_id) as (
      (select connection_id from deliveries d where ${isQueued(sql)} order by connection_id limit 1)
      union all
      select (
        select d.connection_id from deliveries d where ${isQueued(sql)} and d.connection_id > w.connection_id
        order by d.connection_id limit 1
      )
      from waiting w where w.connection_id is not null
    )
    select c.tenant_id as "tenantId", c.id as "connectionId" from waiting w join webhook_connections c on c.id = w.connection_id
    union
    select c.tenant_id, c.id from redeliveries r join webhook_connections c on c.id = r.connection_id
    where r.state = 'Running' and c.state = 'Active'`;
}

export interface QueueRules {
  tenantId: TenantId;
  isActive: boolean;
  /** Missed deliveries are sent first; new ones are Held behind them. */
  isDraining: boolean;
  isOrdered: boolean;
  /** Posts that its rate allows now; null: no rate. */
  tokens: number | null;
  /** Milliseconds until the rate allows the next one. */
  tokenInMs: number;
  /** Further concurrent posts that MaxInFlight allows; null: the window decides. */
  postsLeft: number | null;
  /** The next bulk redelivery: a Drain before a Replay. */
  redeliveryId: RedeliveryId | null;
  redeliveryTokens: number;
  redeliveryTokenInMs: number;
}

/** The maximum burst that an unused rate accumulates. */
const SAVED = "100 milliseconds";

const tokensOf = (sql: Queries, rate: "c.rate_per_second" | "r.rate", nextOn: "c.next_post_on" | "r.next_on") => {
  const [perSecond, next] = [sql.unsafe(rate), sql.unsafe(nextOn)];
  return sql`case when ${next} > now() then 0
    else 1 + floor(extract(epoch from least(now() - ${next}, ${SAVED}::interval)) * ${perSecond}) end::int`;
};

/** For this transaction. @returns "locked" if another worker has it, undefined if the connection does not exist */
export async function lockQueue(
  tx: Transaction,
  connectionId: ConnectionId,
): Promise<QueueRules | undefined | "locked"> {
  const [lock] = await tx<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(${QUEUE_LOCK}, hashtext(${connectionId})) as locked`;
  if (!lock?.locked) return "locked";
  const [rules] = await tx<QueueRules[]>`
    select c.tenant_id as "tenantId", c.state = 'Active' as "isActive", c.draining as "isDraining", c.order_by = 'Record' as "isOrdered",
      case when c.rate_per_second is not null then ${tokensOf(tx, "c.rate_per_second", "c.next_post_on")} end as tokens,
      greatest(0, 1000 * extract(epoch from c.next_post_on - now()))::float8 as "tokenInMs",
      case when c.max_in_flight is not null then c.max_in_flight - (
        select count(*) from deliveries d where d.connection_id = c.id and ${isClaimed(tx)}
          and (d.attempt_started_on is not null or d.state = 'Pending')
      )::int end as "postsLeft",
      r.id as "redeliveryId", coalesce(${tokensOf(tx, "r.rate", "r.next_on")}, 0) as "redeliveryTokens",
      coalesce(greatest(0, 1000 * extract(epoch from r.next_on - now()))::float8, 0) as "redeliveryTokenInMs"
    from webhook_connections c
    left join redeliveries r on r.connection_id = c.id and r.state = 'Running' and (r.kind = 'Drain') = c.draining
    where c.id = ${connectionId} and c.deleted_on is null
    for no key update of c`;
  return rules;
}

/** Holds due deliveries of a connection that is stopped or draining. Pings are still sent. */
export async function holdDue(tx: Transaction, connectionId: ConnectionId, limit: number): Promise<number> {
  const rows = await tx`
    update deliveries set state = 'Held', due_on = null, changed_on = now(),
      -- Its Drain has it still to send, also while that is paused.
      redelivery_id = nullif(redelivery_id, (
        select id from redeliveries
        where connection_id = ${connectionId} and kind = 'Drain' and state in ('Running', 'Paused')
      ))
    where state in ('Pending', 'Retrying') and id in (
      select d.id from deliveries d
      where d.connection_id = ${connectionId} and ${isQueued(tx)} and d.due_on <= now() and not d.is_ping
      order by d.position limit ${limit} for update of d skip locked
    )
    returning id`;
  return rows.length;
}

export interface ClaimedDelivery extends WorkflowToStart {
  deliveryId: DeliveryId;
  /** Milliseconds until its next attempt. */
  waitMs: number;
}

/**
 * Assigns deliveries to workflows: the event's if it has no other delivery, else one with a unique number from the
 * place in the event. Those of a redelivery always get their own, because the event's may be starting or ending.
 * @param redelivery the one that selected them; undefined: they are from the queue
 */
export async function assignToWorkflows(
  tx: Transaction,
  tenantId: TenantId,
  chosen: Candidate[],
  redelivery?: Redelivery,
): Promise<ClaimedDelivery[]> {
  if (chosen.length === 0) return [];
  const ids = chosen.map(({ id }) => id);
  const isDrain = redelivery?.kind === "Drain";
  const eventIds = chosen.map(({ eventId }) => eventId);
  const claimed = await tx<ClaimedRow[]>`
    with claimed as (
      update deliveries d set begun_on = now(), changed_on = now(),
        ${
          redelivery
            ? // A drained delivery keeps its remaining attempts; others start a new run
              tx`state = 'Pending', due_on = now(), redelivery_id = ${redelivery.id},
        earlier_attempts = case when ${isDrain} then d.earlier_attempts else d.attempts end,
        redelivered_after = case when ${isDrain} then d.redelivered_after else d.redelivered_after || d.attempts end,`
            : tx``
        }
        part = case when ${redelivery !== undefined} or exists (
            select from deliveries o
            where o.event_id = d.event_id and o.event_id = any (${eventIds}::uuid[]) and o.part = d.part and o.id <> d.id
          ) then (
            select 1 + (count(*) - 1) / ${DELIVERIES_PER_WORKFLOW}::int + count(*) filter (where o.id <= d.id)
            from deliveries o where o.event_id = d.event_id and o.event_id = any (${eventIds}::uuid[])
          ) else d.part end
      where d.id = any (${ids}::uuid[]) and d.event_id = any (${eventIds}::uuid[]) and d.tenant_id = ${tenantId}
        and ${redelivery ? inStates(tx, redelivery) : isQueued(tx)}
      returning d.*
    )
    select d.id as "deliveryId", d.tenant_id as "tenantId", d.event_id as "eventId", d.part,
      json_build_array(${deliveryToMake(tx)}) as deliveries,
      cardinality(d.redelivered_after) as "sentAgain", d.redelivery_id as "redeliveryId",
      0 as held, 0 as queued, greatest(0, 1000 * extract(epoch from d.due_on - now()))::float8 as "waitMs"
    from claimed d join webhook_connections k on k.id = d.connection_id
    order by d.position`;
  const events = await outbox.describeEvents(tx, eventIds);
  return claimed.flatMap((delivery) => {
    const event = events.get(delivery.eventId);
    return event ? [{ ...delivery, ...event }] : [];
  });
}

type ClaimedRow = Omit<ClaimedDelivery, keyof outbox.DescribedEvent>;

/** Advances a Replay to the last delivery it has sent. */
export async function storePosition(tx: Transaction, redelivery: Redelivery, lastPosition: number): Promise<void> {
  await tx`update redeliveries set last_position = ${lastPosition} where id = ${redelivery.id}`;
}

/** Deducts started deliveries from the rates. @returns milliseconds until each allows the next one; 0: no rate */
export async function countInRates(
  tx: Transaction,
  connectionId: ConnectionId,
  posts: number,
  redelivered: { id: RedeliveryId; posts: number } | undefined,
): Promise<{ postInMs: number; redeliveredInMs: number; left: boolean }> {
  const [row] = await tx<{ postInMs: number; redeliveredInMs: number; left: boolean }[]>`
    with connection as (
      update webhook_connections set next_post_on = greatest(next_post_on, now() - ${SAVED}::interval)
        + ${posts} * interval '1 second' / rate_per_second
      where id = ${connectionId} and rate_per_second is not null and ${posts} > 0
      returning next_post_on as next
    ), redelivery as (
      update redeliveries set next_on = greatest(next_on, now() - ${SAVED}::interval)
        + ${redelivered?.posts ?? 0} * interval '1 second' / rate
      where id = ${redelivered?.id ?? null}::uuid and ${redelivered?.posts ?? 0} > 0
      returning next_on as next
    )
    select coalesce((select greatest(0, 1000 * extract(epoch from next - now())) from connection), 0)::float8 as "postInMs",
      coalesce((select greatest(0, 1000 * extract(epoch from next - now())) from redelivery), 0)::float8
        as "redeliveredInMs",
      exists (select from deliveries d where d.connection_id = ${connectionId} and ${isQueued(tx)}) as left`;
  return row!;
}
