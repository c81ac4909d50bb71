// Recording attempts, and the resulting states of deliveries and connections.

import type { DeliveryState } from "../../../workflows/contract.ts";
import { type Queries, repeating, uuids } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../platform/ids.ts";
import { isOpen } from "../states.store.ts";

/** The state of a delivery that gets no further attempt. */
export type EndedState = "Exhausted" | "Cancelled" | "Held";

export interface Attempt {
  number: number;
  startedOn: Date;
  durationMs: number;
  statusCode: number | null;
  failure: string | null;
  responseHeaders: string | null;
  responseBody: string | null;
}

export interface HoldRule {
  /** Holds immediately, because the receiver rejects all further deliveries; undefined: it does not. */
  gone: string | undefined;
  /** Holds after this number of consecutive exhausted deliveries. */
  after: number;
  /** Milliseconds until the first probe. */
  probeInMs: number;
}

export interface AttemptOutcome {
  reached: DeliveryState;
  /** Undefined: the attempt says nothing about the receiver, so the connection is unchanged. */
  hold: HoldRule | undefined;
  /** Milliseconds until the next attempt; undefined: this was the last. */
  nextInMs: number | undefined;
}

/**
 * Writes the attempt, the delivery's state and the effect on the connection in one statement. A delivery that another
 * worker has completed stays Delivered. A cancelled one stays Cancelled unless it was delivered. The response is not
 * stored if the payload was removed.
 */
export const recordAttempt = repeating(async function recordAttempt(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  deliveryId: DeliveryId,
  attempt: Attempt,
  { reached: state, hold, nextInMs }: AttemptOutcome,
): Promise<DeliveryState | undefined> {
  const { number } = attempt;
  const reason = attempt.failure ?? String(attempt.statusCode);
  const isFailure = state !== "Delivered" && attempt.failure !== "cancelled";
  const holds = sql`(${state} = 'Exhausted' and connection.state = 'Active'
    and (${hold?.gone !== undefined} or connection.run >= coalesce(connection.hold_after, ${hold?.after ?? 0})))`;
  const [row] = await sql<{ state: DeliveryState }[]>`
    with attempt as (
      insert into attempts (event_id, delivery_id, number, started_on, duration_ms, status_code, failure, failed_to)
      values (${eventId}, ${deliveryId}, ${number}, ${attempt.startedOn}, ${attempt.durationMs}, ${attempt.statusCode},
        ${attempt.failure}, (
          select connection_id from deliveries
          where ${isFailure} and event_id = ${eventId} and id = ${deliveryId} and not is_ping))
      ${unlessKnown(sql)}
    ), payload as (
      -- Locked after the delivery: its removal waits for this statement, or has ended.
      select from payloads where event_id = ${eventId} for key share
    ), response as (
      insert into responses (event_id, delivery_id, number, headers, body)
      select ${eventId}, ${deliveryId}, ${number}, ${attempt.responseHeaders}, ${attempt.responseBody} from payload
      where num_nonnulls(${attempt.responseHeaders}::text, ${attempt.responseBody}::text) > 0
      on conflict do nothing
    ), connection as (
      select c.id, c.state, c.hold_after,
        case ${state} when 'Exhausted' then c.exhausted_run + 1 when 'Delivered' then 0 else c.exhausted_run end as run
      from deliveries d join webhook_connections c on c.id = d.connection_id
      where ${hold !== undefined} and d.event_id = ${eventId} and d.id = ${deliveryId} and d.tenant_id = ${tenantId}
        and c.deleted_on is null
        and (${state} = 'Exhausted' and d.state in ('Pending', 'Retrying') or (${state} = 'Delivered' and c.exhausted_run > 0))
      for no key update of c
    ), counted as (
      update webhook_connections c set exhausted_run = connection.run from connection
      where c.id = connection.id and not ${holds}
      returning c.id
    ), held as (
      update webhook_connections c set exhausted_run = connection.run, state = 'Held', modified_on = now(),
        held_on = now(), probes = 0, probe_lease_until = '-infinity',
        next_probe_on = now() + ${hold?.probeInMs ?? 0} * interval '1 millisecond',
        held_reason = case when ${hold?.gone !== undefined} then ${hold?.gone ?? ""}
          when connection.run = 1 then '1 exhausted delivery, with ' || ${reason}
          else connection.run || ' exhausted deliveries in a row, the last with ' || ${reason} end
      from connection
      where c.id = connection.id and ${holds}
      returning c.id
    )
    update deliveries set
      -- A closed delivery reached its state before, in an hour that may be counted.
      changed_on = case when state in ('Delivered', 'Exhausted', 'Cancelled') and (${state} <> 'Delivered' or state = 'Delivered')
        then changed_on else now() end,
      state = case when state in ('Pending', 'Retrying') or ${state} = 'Delivered' then ${state} else state end,
      reason = case when ${state} = 'Delivered' then null
        when state in ('Pending', 'Retrying', 'Held') then ${reason} else reason end,
      attempt_started_on = case when attempts > ${number} then attempt_started_on end,
      retry_on = case when attempts > ${number} then retry_on
        else now() + ${nextInMs ?? null}::float8 * interval '1 millisecond' end
    -- Asking for it here locks the connection before the delivery, the common order.
    where event_id = ${eventId} and id = ${deliveryId} and tenant_id = ${tenantId}
      and (select count(*) from counted) + (select count(*) from held) >= 0
    returning state`;
  return row?.state;
});

export interface DeliveredAttempt {
  tenantId: TenantId;
  deliveryId: DeliveryId;
  attempt: Attempt;
}

/**
 * Like recordAttempt, for attempts that affect only their deliveries. Leaves out locked and final deliveries, and those
 * with earlier failures of their connection. Payloads of open deliveries are never removed.
 * @returns the ids of the written deliveries
 */
export const recordDelivered = repeating(async function recordDelivered(
  sql: Queries,
  delivered: readonly DeliveredAttempt[],
): Promise<Set<DeliveryId>> {
  const ids = delivered.map(({ deliveryId }) => deliveryId);
  const tenantIds = delivered.map(({ tenantId }) => tenantId);
  const each = <T>(value: (attempt: Attempt) => T) => delivered.map(({ attempt }) => value(attempt));
  const rows = await sql<{ id: DeliveryId }[]>`
    with locked as materialized (
      select id, tenant_id, event_id, connection_id from deliveries
      where id = any (${uuids(sql, ids)}) and state in ('Pending', 'Retrying') for update skip locked
    ), posted as (
      select made.*, d.event_id from unnest(
        ${uuids(sql, ids)}, ${uuids(sql, tenantIds)},
        ${each(({ number }) => number)}::int[], ${each(({ startedOn }) => startedOn.toISOString())}::timestamptz[],
        ${each(({ durationMs }) => durationMs)}::int[], ${each(({ statusCode }) => statusCode)}::int[],
        ${each(({ responseHeaders }) => responseHeaders)}::text[], ${each(({ responseBody }) => responseBody)}::text[]
      ) as made (delivery_id, tenant_id, number, started_on, duration_ms, status_code, response_headers, response_body)
        join locked d on d.id = made.delivery_id and d.tenant_id = made.tenant_id
        join webhook_connections c on c.id = d.connection_id
      where c.exhausted_run = 0
    ), attempt as (
      insert into attempts (event_id, delivery_id, number, started_on, duration_ms, status_code)
      select event_id, delivery_id, number, started_on, duration_ms, status_code from posted
      ${unlessKnown(sql)}
    ), response as (
      insert into responses (event_id, delivery_id, number, headers, body)
      select event_id, delivery_id, number, response_headers, response_body from posted
      where num_nonnulls(response_headers, response_body) > 0
      on conflict do nothing
    )
    update deliveries d set changed_on = now(), state = 'Delivered', reason = null,
      attempt_started_on = case when d.attempts > posted.number then d.attempt_started_on end
    from posted where d.id = posted.delivery_id and d.state in ('Pending', 'Retrying')
    returning d.id`;
  return new Set(rows.map(({ id }) => id));
});

/** Reverts an attempt that was started but not sent. @param probing whether it was a probe's */
export const revertAttempt = repeating(async function revertAttempt(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  deliveryId: DeliveryId,
  number: number,
  probing?: boolean,
): Promise<void> {
  await sql`
    update deliveries set attempts = attempts - 1, earlier_attempts = earlier_attempts - ${probing ?? false}::boolean::int,
      attempt_started_on = null
    where event_id = ${eventId} and id = ${deliveryId} and tenant_id = ${tenantId} and attempts = ${number}
      and attempt_started_on is not null`;
});

/** Logs the open attempts of deliveries in `before` as lost with their worker. */
export const insertLost = (sql: Queries) => sql`
  insert into attempts (event_id, delivery_id, number, started_on, duration_ms, failure, failed_to)
  select event_id, id, attempts, attempt_started_on,
    least(2147483647, 1000 * extract(epoch from now() - attempt_started_on))::int, 'lost',
    case when not is_ping then connection_id end
  from before where attempt_started_on is not null and not mine
  on conflict do nothing`;

/** Keeps a recorded attempt, unless it was recorded as lost. */
const unlessKnown = (sql: Queries) => sql`
  on conflict (event_id, delivery_id, number) do update set duration_ms = excluded.duration_ms,
    status_code = excluded.status_code, failure = excluded.failure, failed_to = excluded.failed_to
  where attempts.failure = 'lost'`;

/**
 * Ends an open delivery without an attempt and logs a lost one. It becomes Held only if its connection is still
 * stopped, because a resumed connection would not find it.
 * @param minAttempts minimum number of attempts in this run; with fewer it stays open
 */
export const closeOpenDelivery = repeating(async function closeOpenDelivery(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  deliveryId: DeliveryId,
  state: EndedState,
  minAttempts?: number,
): Promise<{ state: DeliveryState; attempts: number; ping: boolean } | undefined> {
  const [row] = await sql<{ state: DeliveryState; attempts: number; ping: boolean }[]>`
    with connection as (
      select c.state from webhook_connections c join deliveries d on d.connection_id = c.id
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId} and d.state in ('Pending', 'Retrying')
      for key share of c
    ), before as (
      select d.id, d.event_id, d.attempts, d.attempt_started_on, d.connection_id, d.is_ping, false as mine from connection c, deliveries d
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId} and d.state in ('Pending', 'Retrying')
        and (${state} <> 'Held' or c.state <> 'Active') and d.attempts - d.earlier_attempts >= ${minAttempts ?? 0}
      for update of d
    ), lost as (
      ${insertLost(sql)}
    ), closed as (
      update deliveries d set state = ${state}, attempt_started_on = null, changed_on = now(),
        reason = case when ${state} = 'Exhausted' then 'lost' else d.reason end
      from before b where d.id = b.id and d.state in ('Pending', 'Retrying')
      returning d.state, d.attempts, d.is_ping as ping
    )
    select state, attempts, ping from closed
    union all
    select state, attempts, is_ping from deliveries
    where event_id = ${eventId} and id = ${deliveryId} and tenant_id = ${tenantId} and not exists (select from closed)`;
  return row;
});

/**
 * Cancels the first open deliveries in event order, except locked ones. A post in progress may become Delivered.
 * @returns the number cancelled, and the last one's event
 */
export const cancelDeliveries = repeating(async function cancelDeliveries(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  after: string | undefined,
  limit: number,
): Promise<{ count: number; last: string | undefined }> {
  const rows = await sql<{ eventId: EventId }[]>`
    with first as (
      select d.id from deliveries d
      where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and ${isOpen(sql)}
        ${after ? sql`and d.event_id > ${after}` : sql``}
      order by d.event_id limit ${limit} for update skip locked
    )
    update deliveries d set state = 'Cancelled', changed_on = now() from first
    where d.id = first.id and ${isOpen(sql)}
    returning event_id as "eventId"`;
  const events = rows.map(({ eventId }) => eventId).sort();
  return { count: rows.length, last: events.at(-1) };
});

export async function hasOpenDeliveries(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<boolean> {
  const [row] = await sql<{ open: boolean }[]>`
    select exists (
      select from deliveries d where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and ${isOpen(sql)}
    ) as open`;
  return row!.open;
}
