// Attempts that are to be made: marked in PostgreSQL before anything is sent.

import type { DeliveryState } from "../../../workflows/contract.ts";
import { type Queries, type Transaction, uuids } from "../../db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../ids.ts";
import { type EndedState, insertLost } from "./store.ts";

/** A delivery whose turn has come, with all that the post needs. */
export interface OpenDelivery {
  id: DeliveryId;
  /** True if it is marked as being attempted; false if there is nothing to post, or another worker was faster. */
  attempted: boolean;
  state: DeliveryState;
  /** Milliseconds until it may be attempted again. */
  waitMs: number;
  /** How an open delivery that may not be attempted has to end. */
  endsAs: EndedState | null;
  eventId: EventId;
  occurredOn: Date;
  /** Of the request that made the event; null if that was before traces. */
  traceParent: string | null;
  payload: string;
  /** Of its records, in the payload's order; null if it is of no change. */
  sequences: number[] | null;
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

/** An attempt that is to be made. */
export interface DueAttempt {
  tenantId: TenantId;
  deliveryId: DeliveryId;
  /** Counted here and not by Temporal, which starts over when a worker dies. */
  maximumAttempts: number;
  /** The caller's own: asked again with it, because the answer was lost, PostgreSQL gives the same attempt. */
  openedBy: string;
}

/** What clocks and timers may differ by. */
const EARLY_MS = 100;

/**
 * Marks deliveries as being attempted and reads what their posts need, in one statement. An attempt found still
 * marked was lost with its worker and is logged as such. A delivery that is final, whose connection takes no posts or
 * whose attempts are used up is read with the state it comes to; one whose retry is not due, with how long it waits: a
 * workflow whose task timed out with its worker stalled asks for the next attempt at once.
 *
 * The mark is not waited for on disk: losing it with PostgreSQL costs a line in the log, never a delivery.
 *
 * @param locked "skip" leaves out those that somebody has locked, so that nobody else's delivery waits for them
 */
export function openAttempts(
  sql: Queries,
  due: readonly DueAttempt[],
  locked: "wait" | "skip",
): Promise<OpenDelivery[]> {
  return open(sql, due, false, locked);
}

/**
 * The same for an attempt by which a Held connection is probed, and which takes none from those of its delivery's run.
 * @returns undefined if it is not to be made: the delivery or the connection is Held no more
 */
export async function openProbe(
  sql: Queries,
  tenantId: TenantId,
  deliveryId: DeliveryId,
): Promise<OpenDelivery | undefined> {
  const [delivery] = await open(
    sql,
    [{ tenantId, deliveryId, maximumAttempts: 0, openedBy: Bun.randomUUIDv7() }],
    true,
    "wait",
  );
  return delivery?.attempted ? delivery : undefined;
}

function open(
  sql: Queries,
  due: readonly DueAttempt[],
  probing: boolean,
  locked: "wait" | "skip",
): Promise<OpenDelivery[]> {
  const ids = due.map(({ deliveryId }) => deliveryId);
  const tenantIds = due.map(({ tenantId }) => tenantId);
  return sql<OpenDelivery[]>`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting),
    before as (
      select d.id, d.state, d.event_id, d.connection_id, d.is_ping, d.attempts, d.earlier_attempts, d.attempt_started_on,
        c.url, c.secret, c.staged_secret, case when c.former_until > now() then c.former_secret end as former_secret,
        c.api_key, c.headers, c.timeout_ms, c.max_in_flight is not null as counted, e.occurred_on, e.trace_parent, e.payload, e.sequences, e.event_type = 'Ping' as ping,
        coalesce(c.staged_event_id = d.event_id, false) as proof,
        d.state in ('Pending', 'Retrying') as open, asked.opened_by,
        d.attempt_started_on is not null and coalesce(d.attempt_opened_by = asked.opened_by, false) as mine,
        case when d.state = 'Retrying' then greatest(0, 1000 * extract(epoch from d.retry_on - now())) else 0 end::float8 as wait_ms,
        ${probing} and d.state = 'Held' and c.state = 'Held' and c.deleted_on is null as probed,
        case
          when d.state not in ('Pending', 'Retrying') then null
          when c.deleted_on is not null then 'Cancelled'
          when d.attempts - d.earlier_attempts >= case e.event_type when 'Ping' then 1 else asked.maximum end
            then 'Exhausted'
          when c.state <> 'Active' and e.event_type <> 'Ping' then 'Held'
        end as ends_as
      from relaxed,
        unnest(${uuids(sql, ids)}, ${uuids(sql, tenantIds)},
          ${due.map(({ maximumAttempts }) => maximumAttempts)}::int[],
          ${uuids(
            sql,
            due.map(({ openedBy }) => openedBy),
          )}) as asked (id, tenant_id, maximum, opened_by)
        join deliveries d on d.id = asked.id and d.tenant_id = asked.tenant_id
        join webhook_connections c on c.id = d.connection_id
        join events e on e.id = d.event_id
      ${locked === "skip" ? sql`where c.max_in_flight is null for update of d skip locked` : sql``}
    ), lost as (
      ${insertLost(sql)}
    ), due as (
      select *, (not mine and (probed or (not ${probing} and open and ends_as is null and wait_ms <= ${EARLY_MS})))::int as step
      from before
    ), marked as (
      update deliveries d set attempts = d.attempts + due.step,
        earlier_attempts = d.earlier_attempts + due.probed::int,
        attempt_started_on = case when due.step = 1 then now() end, attempt_opened_by = due.opened_by,
        begun_on = case when due.counted then coalesce(d.begun_on, now()) else d.begun_on end
      from due
      where d.id = due.id and d.attempts = due.attempts and not due.mine and (due.step = 1 or due.attempt_started_on is not null)
      returning d.id
    )
    select due.id, due.mine or due.step = 1 and due.id in (select id from marked) as attempted, due.state, due.ends_as as "endsAs", due.wait_ms as "waitMs",
      due.event_id as "eventId", due.occurred_on as "occurredOn",
      due.trace_parent as "traceParent", due.payload, due.sequences, due.url,
      case when due.proof then due.staged_secret else due.secret end as secret,
      case when not due.proof then due.staged_secret end as "stagedSecret",
      case when not due.proof then due.former_secret end as "formerSecret", due.proof,
      due.api_key as "apiKey", due.headers, due.timeout_ms as "timeoutMs", due.ping,
      due.attempts + due.step as number, due.attempts + due.step - due.earlier_attempts as "numberInRun"
    from due`;
}

/** A workflow has it, or is about to: one of its own, or its event's. As `d`. */
export const isUnderWay = (sql: Queries) => sql`
  (d.due_on is null or d.begun_on is not null) and d.state in ('Pending', 'Retrying')`;

/**
 * Of these alone, as `d`, are the posts of a connection with MaxInFlight, so that counting them does not read what
 * has still to be dispatched.
 */
export const isBegun = (sql: Queries) => sql`d.begun_on is not null and d.state in ('Pending', 'Retrying')`;

/** Any constant of our own that no other lock has. */
const POSTS_LOCK = 7_203_432;

/**
 * The next turn that its connection's rate leaves for a retry, if that is not far off.
 * @returns milliseconds until then, or undefined: no turn is taken
 */
export async function takeTurn(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  patienceMs: number,
): Promise<number | undefined> {
  const [row] = await sql<{ waitMs: number | null }[]>`
    with turn as (
      update webhook_connections c
      set next_post_on = greatest(c.next_post_on, now()) + interval '1 second' / c.rate_per_second
      where c.id = ${connectionId} and c.tenant_id = ${tenantId} and c.rate_per_second is not null
        and c.next_post_on <= now() + ${patienceMs} * interval '1 millisecond'
      returning (1000 * extract(epoch from c.next_post_on - interval '1 second' / c.rate_per_second - now()))::float8 as wait
    )
    select case when c.rate_per_second is null then 0 else (select wait from turn) end as "waitMs"
    from webhook_connections c where c.id = ${connectionId} and c.tenant_id = ${tenantId}`;
  return row ? (row.waitMs ?? undefined) : 0;
}

/**
 * Keeps everybody else from opening an attempt of the connection, if that limits how many are out.
 * @returns whether one more may be, until the transaction ends
 */
export async function lockPosts(tx: Transaction, tenantId: TenantId, deliveryId: DeliveryId): Promise<boolean> {
  const [limit] = await tx<{ connectionId: ConnectionId; most: number | null }[]>`
    select c.id as "connectionId", case when e.event_type <> 'Ping' then c.max_in_flight end as most
    from deliveries d join webhook_connections c on c.id = d.connection_id join events e on e.id = d.event_id
    where d.id = ${deliveryId} and d.tenant_id = ${tenantId}`;
  if (!limit || limit.most === null) return true;
  await tx`select pg_advisory_xact_lock(${POSTS_LOCK}, hashtext(${limit.connectionId}))`;
  const [out] = await tx<{ count: number }[]>`
    select count(*) as count from deliveries d
    where d.connection_id = ${limit.connectionId} and ${isBegun(tx)} and d.id <> ${deliveryId}
      and d.attempt_started_on is not null`;
  return out!.count < limit.most;
}

/** For a connection that has just got a bound of posts: those that are out count too. */
export async function countPostsOut(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    update deliveries d set begun_on = now()
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and ${isUnderWay(tx)}
      and d.attempt_started_on is not null and d.begun_on is null`;
}

/** It is in the queue and no workflow has it, as `d`. */
export const isWaiting = (sql: Queries) =>
  sql`d.due_on is not null and d.begun_on is null and d.state in ('Pending', 'Retrying')`;
