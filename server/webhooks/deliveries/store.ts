// A delivery's attempts, as the activity writes them.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/connection.ts";

/** A delivery whose turn has come, with all that the post needs. */
export interface OpenDelivery {
  state: DeliveryState;
  /** The state it has come to without another attempt; null if it is being attempted. */
  endsAs: DeliveryState | null;
  eventId: string;
  payload: string;
  url: string;
  secret: Uint8Array | null;
  apiKey: Uint8Array;
  /** This attempt's number, or the last one's if there is none. */
  number: number;
  /** As `number`, but counted from the run's start: a redelivery has all its attempts again. */
  numberInRun: number;
}

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
 * @returns "overtaken" if another worker has opened the same attempt
 */
export async function openAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  maximumAttempts: number,
): Promise<OpenDelivery | "overtaken" | undefined> {
  const [row] = await sql<(OpenDelivery & { marked: boolean })[]>`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting),
    before as (
      select d.id, d.state, d.event_id, d.attempts, d.earlier_attempts, d.attempt_started_on,
        c.url, c.secret, c.api_key,
        case
          when d.state not in ('Pending', 'Retrying') then d.state
          when c.deleted_on is not null then 'Cancelled'
          when d.attempts - d.earlier_attempts >= ${maximumAttempts} then 'Exhausted'
        end as ends_as
      from relaxed, deliveries d join webhook_connections c on c.id = d.connection_id
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId}
    ), lost as (
      insert into attempts (delivery_id, number, started_on, duration_ms, failure)
      select id, attempts, attempt_started_on,
        least(2147483647, 1000 * extract(epoch from now() - attempt_started_on))::int, 'lost'
      from before where attempt_started_on is not null
      on conflict do nothing
    ), marked as (
      update deliveries d set attempts = d.attempts + (b.ends_as is null)::int, changed_on = now(),
        attempt_started_on = case when b.ends_as is null then now() end
      from before b
      where d.id = b.id and d.attempts = b.attempts and (b.ends_as is null or b.attempt_started_on is not null)
      returning d.id
    )
    select b.state, b.ends_as as "endsAs", b.event_id as "eventId", e.payload, b.url, b.secret, b.api_key as "apiKey",
      b.attempts + (b.ends_as is null)::int as number,
      b.attempts + (b.ends_as is null)::int - b.earlier_attempts as "numberInRun",
      exists (select from marked) as marked
    from before b join events e on e.id = b.event_id`;
  return row && row.endsAs === null && !row.marked ? "overtaken" : row;
}

/**
 * Writes the attempt and the delivery's new state in one statement; `hold` holds the connection as well. What another
 * worker has delivered in the meantime stays Delivered, and what was cancelled stays so unless it was delivered.
 *
 * @returns the state the delivery has then
 */
export async function recordAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  attempt: Attempt,
  state: DeliveryState,
  hold: boolean,
): Promise<DeliveryState | undefined> {
  const { number } = attempt;
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
    ), held as (
      update webhook_connections c set state = 'Held', modified_on = now()
      from deliveries d
      where ${hold} and d.id = ${deliveryId} and d.tenant_id = ${tenantId} and c.id = d.connection_id
        and c.state = 'Active'
      returning c.id
    )
    update deliveries set changed_on = now(),
      state = case when state in ('Pending', 'Retrying') or ${state} = 'Delivered' then ${state} else state end,
      attempt_started_on = case when attempts > ${number} then attempt_started_on end
    -- Asking for it here locks the connection before the delivery, the order of everybody else.
    where id = ${deliveryId} and tenant_id = ${tenantId} and (select count(*) from held) >= 0
    returning state`;
  return row?.state;
}

/** Ends a delivery no attempt has ended, logging the attempt that was lost. */
export async function closeOpenDelivery(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  state: "Exhausted" | "Cancelled",
): Promise<{ state: DeliveryState; attempts: number } | undefined> {
  const [row] = await sql<{ state: DeliveryState; attempts: number }[]>`
    with before as (
      select id, attempts, attempt_started_on from deliveries
      where id = ${deliveryId} and tenant_id = ${tenantId} and state in ('Pending', 'Retrying') for update
    ), lost as (
      insert into attempts (delivery_id, number, started_on, duration_ms, failure)
      select id, attempts, attempt_started_on,
        least(2147483647, 1000 * extract(epoch from now() - attempt_started_on))::int, 'lost'
      from before where attempt_started_on is not null
      on conflict do nothing
    ), closed as (
      update deliveries d set state = ${state}, attempt_started_on = null, changed_on = now()
      from before b where d.id = b.id
      returning d.state, d.attempts
    )
    select state, attempts from closed
    union all
    select state, attempts from deliveries
    where id = ${deliveryId} and tenant_id = ${tenantId} and not exists (select from closed)`;
  return row;
}
