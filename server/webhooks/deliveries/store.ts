// A delivery's life: its attempts, as the activity writes them, and what becomes of it with its connection.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries, Transaction } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

/** A delivery whose turn has come, with all that the post needs. */
export interface OpenDelivery {
  id: string;
  /** True if it is marked as being attempted; false if there is nothing to post, or another worker was faster. */
  attempted: boolean;
  state: DeliveryState;
  /** How an open delivery that may not be attempted has to end. */
  endsAs: EndedState | null;
  eventId: string;
  occurredOn: Date;
  /** Of the request that made the event; null if that was before traces. */
  traceParent: string | null;
  payload: string;
  url: string;
  /** Null: the calls are not signed. Of a ping that proves a new secret, that one alone. */
  secret: Uint8Array | null;
  /** Those that sign beside it while secrets change. */
  stagedSecret: Uint8Array | null;
  formerSecret: Uint8Array | null;
  /** A ping that proves the staged secret: delivered, it puts that in force. */
  proof: boolean;
  apiKey: Uint8Array;
  headers: Uint8Array | null;
  /** null: as WEBHOOK_TIMEOUT says. */
  timeoutMs: number | null;
  /** A ping goes to its connection in any state, has one attempt, and changes nothing of the connection. */
  ping: boolean;
  /** This attempt's number, or the last one's if there is none. */
  number: number;
  /** As `number`, but counted from the run's start: a redelivery has all its attempts again. */
  numberInRun: number;
}

/** An end that is not an attempt's. */
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

/**
 * Marks the delivery as being attempted and reads what the post needs, in one statement. An attempt found still
 * marked was lost with its worker and is logged as such. A delivery that is final, whose connection takes no posts or
 * whose attempts are used up is read with the state it comes to.
 *
 * The mark is not waited for on disk: losing it with PostgreSQL costs a line in the log, never a delivery.
 *
 * @param maximumAttempts counted here and not by Temporal, which starts over when a worker dies
 */
export function openAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  maximumAttempts: number,
): Promise<OpenDelivery | undefined> {
  return open(sql, tenantId, deliveryId, maximumAttempts, false);
}

/**
 * The same for an attempt by which a Held connection is probed, and which takes none from those of its delivery's run.
 * @returns undefined if it is not to be made: the delivery or the connection is Held no more
 */
export async function openProbe(sql: Queries, tenantId: string, deliveryId: string): Promise<OpenDelivery | undefined> {
  const delivery = await open(sql, tenantId, deliveryId, 0, true);
  return delivery?.attempted ? delivery : undefined;
}

async function open(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  maximumAttempts: number,
  probing: boolean,
): Promise<OpenDelivery | undefined> {
  const [row] = await sql<OpenDelivery[]>`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting),
    before as (
      select d.id, d.state, d.event_id, d.attempts, d.earlier_attempts, d.attempt_started_on,
        c.url, c.secret, c.staged_secret, case when c.former_until > now() then c.former_secret end as former_secret,
        c.api_key, c.headers, c.timeout_ms, e.occurred_on, e.trace_parent, e.payload, e.event_type = 'Ping' as ping,
        coalesce(c.staged_event_id = d.event_id, false) as proof,
        d.state in ('Pending', 'Retrying') as open,
        ${probing} and d.state = 'Held' and c.state = 'Held' and c.deleted_on is null as probed,
        case
          when d.state not in ('Pending', 'Retrying') then null
          when c.deleted_on is not null then 'Cancelled'
          when d.attempts - d.earlier_attempts >= case e.event_type when 'Ping' then 1 else ${maximumAttempts}::int end
            then 'Exhausted'
          when c.state <> 'Active' and e.event_type <> 'Ping' then 'Held'
        end as ends_as
      from relaxed, deliveries d join webhook_connections c on c.id = d.connection_id join events e on e.id = d.event_id
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId}
    ), lost as (
      insert into attempts (delivery_id, number, started_on, duration_ms, failure)
      select id, attempts, attempt_started_on,
        least(2147483647, 1000 * extract(epoch from now() - attempt_started_on))::int, 'lost'
      from before where attempt_started_on is not null
      on conflict do nothing
    ), due as (
      select *, (probed or (not ${probing} and open and ends_as is null))::int as step from before
    ), marked as (
      update deliveries d set attempts = d.attempts + due.step, changed_on = now(),
        earlier_attempts = d.earlier_attempts + due.probed::int,
        attempt_started_on = case when due.step = 1 then now() end
      from due
      where d.id = due.id and d.attempts = due.attempts and (due.step = 1 or due.attempt_started_on is not null)
      returning d.id
    )
    select due.id, due.step = 1 and exists (select from marked) as attempted, due.state, due.ends_as as "endsAs",
      due.event_id as "eventId", due.occurred_on as "occurredOn",
      due.trace_parent as "traceParent", due.payload, due.url,
      case when due.proof then due.staged_secret else due.secret end as secret,
      case when not due.proof then due.staged_secret end as "stagedSecret",
      case when not due.proof then due.former_secret end as "formerSecret", due.proof,
      due.api_key as "apiKey", due.headers, due.timeout_ms as "timeoutMs", due.ping,
      due.attempts + due.step as number, due.attempts + due.step - due.earlier_attempts as "numberInRun"
    from due`;
  return row;
}

/** When an exhausted delivery makes its connection Held. */
export interface HoldRule {
  /** At once: the receiver wants no more of it. */
  gone: boolean;
  /** After so many exhausted deliveries in a row. */
  after: number;
  /** Milliseconds before it is probed for the first time. */
  probeInMs: number;
}

/**
 * Writes the attempt and the delivery's new state in one statement, and what that makes of the connection. What another
 * worker has delivered in the meantime stays Delivered, and what was cancelled stays so unless it was delivered.
 *
 * @param hold undefined: what becomes of the delivery changes nothing of its connection
 * @returns the state the delivery has then
 */
export async function recordAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  attempt: Attempt,
  state: DeliveryState,
  hold: HoldRule | undefined,
): Promise<DeliveryState | undefined> {
  const { number } = attempt;
  const reason = attempt.failure ?? String(attempt.statusCode);
  const holds = sql`(${state} = 'Exhausted' and connection.state = 'Active'
    and (${hold?.gone ?? false} or connection.run >= ${hold?.after ?? 0}))`;
  const [row] = await sql<{ state: DeliveryState }[]>`
    with attempt as (
      insert into attempts (delivery_id, number, started_on, duration_ms, status_code, failure, response_headers,
        response_body)
      values (${deliveryId}, ${number}, ${attempt.startedOn}, ${attempt.durationMs}, ${attempt.statusCode},
        ${attempt.failure}, ${attempt.responseHeaders}, ${attempt.responseBody})
      on conflict (delivery_id, number) do update set duration_ms = excluded.duration_ms,
        status_code = excluded.status_code, failure = excluded.failure, response_headers = excluded.response_headers,
        response_body = excluded.response_body
      where attempts.failure = 'lost'
    ), connection as (
      select c.id, c.state,
        case ${state} when 'Exhausted' then c.exhausted_run + 1 when 'Delivered' then 0 else c.exhausted_run end as run
      from deliveries d join webhook_connections c on c.id = d.connection_id
      where ${hold !== undefined} and d.id = ${deliveryId} and d.tenant_id = ${tenantId} and c.deleted_on is null
        and (${state} = 'Exhausted' or (${state} = 'Delivered' and c.exhausted_run > 0))
      for update of c
    ), counted as (
      update webhook_connections c set exhausted_run = connection.run from connection
      where c.id = connection.id and not ${holds}
      returning c.id
    ), held as (
      update webhook_connections c set exhausted_run = connection.run, state = 'Held', modified_on = now(),
        held_on = now(), probes = 0, probe_lease_until = '-infinity',
        next_probe_on = now() + ${hold?.probeInMs ?? 0} * interval '1 millisecond',
        held_reason = case when ${hold?.gone ?? false} then '410 Gone'
          else connection.run || ' exhausted deliveries in a row, the last with ' || ${reason} end
      from connection
      where c.id = connection.id and ${holds}
      returning c.id
    )
    update deliveries set changed_on = now(),
      state = case when state in ('Pending', 'Retrying') or ${state} = 'Delivered' then ${state} else state end,
      reason = case when ${state} = 'Delivered' then null
        when state in ('Pending', 'Retrying', 'Held') then ${reason} else reason end,
      attempt_started_on = case when attempts > ${number} then attempt_started_on end
    -- Asking for it here locks the connection before the delivery, the order of everybody else.
    where id = ${deliveryId} and tenant_id = ${tenantId} and (select count(*) from counted) + (select count(*) from held) >= 0
    returning state`;
  return row?.state;
}

/**
 * Ends a delivery that no attempt has ended, logging the attempt that was lost. It is held only if its connection
 * still takes no posts: a connection that is resumed meanwhile would not find it.
 *
 * @returns what the delivery is then
 */
export async function closeOpenDelivery(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  state: EndedState,
): Promise<{ state: DeliveryState; attempts: number } | undefined> {
  const [row] = await sql<{ state: DeliveryState; attempts: number }[]>`
    with connection as (
      select c.state from webhook_connections c join deliveries d on d.connection_id = c.id
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId} for share of c
    ), before as (
      select d.id, d.attempts, d.attempt_started_on from connection c, deliveries d
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId} and d.state in ('Pending', 'Retrying')
        and (${state} <> 'Held' or c.state <> 'Active')
      for update of d
    ), lost as (
      insert into attempts (delivery_id, number, started_on, duration_ms, failure)
      select id, attempts, attempt_started_on,
        least(2147483647, 1000 * extract(epoch from now() - attempt_started_on))::int, 'lost'
      from before where attempt_started_on is not null
      on conflict do nothing
    ), closed as (
      update deliveries d set state = ${state}, attempt_started_on = null, changed_on = now(),
        reason = case when ${state} = 'Exhausted' then 'lost' else d.reason end
      from before b where d.id = b.id
      returning d.state, d.attempts
    )
    select state, attempts from closed
    union all
    select state, attempts from deliveries
    where id = ${deliveryId} and tenant_id = ${tenantId} and not exists (select from closed)`;
  return row;
}

/** Ends all that a connection has still to get. A post that is out just now may yet be recorded as Delivered. */
export async function cancelDeliveries(tx: Transaction, tenantId: TenantId, connectionId: string): Promise<void> {
  await tx`
    update deliveries set state = 'Cancelled', changed_on = now()
    where tenant_id = ${tenantId} and connection_id = ${connectionId}
      and (state = 'Held' or state in ('Pending', 'Retrying'))`;
}
