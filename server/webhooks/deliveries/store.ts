// A delivery's attempts, as the activity writes them.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/connection.ts";

/** A delivery that is being attempted, with all that the post needs. */
export interface OpenDelivery {
  state: DeliveryState;
  eventId: string;
  payload: string;
  url: string;
  secret: Uint8Array | null;
  apiKey: Uint8Array;
  connectionDeleted: boolean;
  /** This attempt's number. */
  number: number;
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
 * marked was lost with its worker and is logged as such. A delivery that is final, or whose connection is deleted, is
 * read and left as it is.
 *
 * The mark is not waited for on disk: losing it with PostgreSQL costs a line in the log, never a delivery.
 */
export async function openAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
): Promise<OpenDelivery | undefined> {
  const [row] = await sql<OpenDelivery[]>`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting),
    before as (
      select d.id, d.state, d.event_id, d.attempts, d.attempt_started_on, c.url, c.secret, c.api_key,
        c.deleted_on is not null as connection_deleted,
        d.state in ('Pending', 'Retrying') and c.deleted_on is null as open
      from relaxed, deliveries d join webhook_connections c on c.id = d.connection_id
      where d.id = ${deliveryId} and d.tenant_id = ${tenantId}
    ), lost as (
      insert into attempts (delivery_id, number, started_on, duration_ms, failure)
      select id, attempts, attempt_started_on,
        least(2147483647, 1000 * extract(epoch from now() - attempt_started_on))::int, 'lost'
      from before where open and attempt_started_on is not null
      on conflict do nothing
    ), marked as (
      update deliveries d set attempts = d.attempts + 1, attempt_started_on = now(), changed_on = now()
      from before b where d.id = b.id and b.open
    )
    select b.state, b.event_id as "eventId", e.payload, b.url, b.secret, b.api_key as "apiKey",
      b.connection_deleted as "connectionDeleted", b.attempts + b.open::int as number
    from before b join events e on e.id = b.event_id`;
  return row;
}

/**
 * Writes the attempt and the delivery's new state in one statement; `hold` holds the connection as well. What another
 * worker has delivered in the meantime stays Delivered.
 */
export async function recordAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  attempt: Attempt,
  state: DeliveryState,
  hold: boolean,
): Promise<void> {
  await sql`
    with attempt as (
      insert into attempts (delivery_id, number, started_on, duration_ms, status_code, failure, response_headers,
        response_body)
      values (${deliveryId}, ${attempt.number}, ${attempt.startedOn}, ${attempt.durationMs}, ${attempt.statusCode},
        ${attempt.failure}, ${attempt.responseHeaders}, ${attempt.responseBody})
      on conflict do nothing
    ), held as (
      update webhook_connections c set state = 'Held', modified_on = now()
      from deliveries d
      where ${hold} and d.id = ${deliveryId} and d.tenant_id = ${tenantId} and c.id = d.connection_id
        and c.state = 'Active'
    )
    update deliveries set state = ${state}, attempt_started_on = null, changed_on = now()
    where id = ${deliveryId} and tenant_id = ${tenantId} and state <> 'Delivered'`;
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
