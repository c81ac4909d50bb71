// Starting attempts: each is marked in PostgreSQL before anything is sent.

import type { DeliveryState } from "../../../workflows/contract.ts";
import { type Queries, repeating, type Transaction, uuids } from "../../platform/db/sql.ts";
import { type ConnectionId, type DeliveryId, type EventId, type TenantId, timeOfId } from "../../platform/ids.ts";
import { NAME_SHOWN, type outbox } from "../../records/index.ts";
import type { Connection } from "../connections.store.ts";
import { isClosed, isOpen } from "../states.store.ts";
import { type EndedState, insertLost } from "./store.ts";

export interface OpenDelivery {
  id: DeliveryId;
  /** True if it is marked as being attempted; false if there is nothing to post or another worker was first. */
  attempted: boolean;
  state: DeliveryState;
  /** Milliseconds until it may be attempted again. */
  waitMs: number;
  /** The final state of an open delivery that must not be attempted. */
  endsAs: EndedState | null;
  eventId: EventId;
  occurredOn: Date;
  /** The trace of the originating request; null for events before tracing. */
  traceParent: string | null;
  payload: string;
  /** The former values of changed fields, as JSON. */
  previous: string | null;
  /** Sequence numbers of its records, in the payload's order; null if it is not a change. */
  sequences: number[] | null;
  /** Whether the call has a JWT. */
  signByKey: boolean;
  compression: Connection["compression"];
  /** How its post differs from the payload; null: it does not. */
  form: outbox.DeliveryForm | null;
  url: string;
  /** The connection's name, at most 40 characters; "" if it has none. */
  name: string;
  /** Null: calls are not signed. A verifying ping has only the staged secret here. */
  secret: Uint8Array | null;
  /** Additional signing secrets during a rotation. */
  stagedSecret: Uint8Array | null;
  formerSecret: Uint8Array | null;
  /** A ping that verifies the staged secret; success activates it. */
  proof: boolean;
  apiKey: Uint8Array;
  headers: Uint8Array | null;
  /** null: WEBHOOK_TIMEOUT. */
  timeoutMs: number | null;
  /** A ping is sent in any state of the connection, has one attempt, and does not affect the connection. */
  ping: boolean;
  /** This attempt's number, or the last one's. */
  number: number;
  /** Like `number`, counted within the run: a redelivery starts a new run with all attempts. */
  numberInRun: number;
}

export interface DueAttempt {
  tenantId: TenantId;
  eventId: EventId;
  deliveryId: DeliveryId;
  /** Counted here, because Temporal's counter restarts when a worker dies. */
  maximumAttempts: number;
  /** A key of the caller: repeating a call after a lost response returns the same attempt. */
  startedBy: string;
}

/** Tolerance for clocks and timers. */
const EARLY_MS = 100;

/**
 * Marks deliveries as being attempted and reads their posts, in one statement. An attempt still marked was lost with
 * its worker, and is logged as lost. Final deliveries, and those of stopped connections or without attempts left, give
 * their state. A retry that is not due returns its wait, because a workflow task that timed out may ask too early.
 * The commit is asynchronous: a crash of PostgreSQL may lose a log line but never a delivery.
 * @param locked "skip" leaves out rows locked by others, so deliveries do not wait for each other
 */
export const startAttempts = repeating(
  (sql: Queries, due: readonly DueAttempt[], locked: "wait" | "skip"): Promise<OpenDelivery[]> =>
    start(sql, due, false, locked),
);

/** The same for a probe, not counted in the run. @returns undefined if delivery or connection is no longer Held */
export const startProbe = repeating(async function startProbe(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  deliveryId: DeliveryId,
): Promise<OpenDelivery | undefined> {
  const [delivery] = await start(
    sql,
    [{ tenantId, eventId, deliveryId, maximumAttempts: 0, startedBy: Bun.randomUUIDv7() }],
    true,
    "wait",
  );
  return delivery?.attempted ? delivery : undefined;
});

async function start(
  sql: Queries,
  due: readonly DueAttempt[],
  probing: boolean,
  locked: "wait" | "skip",
): Promise<OpenDelivery[]> {
  const ids = due.map(({ deliveryId }) => deliveryId);
  const tenantIds = due.map(({ tenantId }) => tenantId);
  const rows = sql<StartedRow[]>`
    with relaxed as (select set_config('synchronous_commit', 'off', true) as setting),
    before as (
      select d.id, d.state, d.event_id, d.connection_id, d.is_ping, d.attempts, d.earlier_attempts, d.attempt_started_on,
        d.form, c.sign_by_key, c.compression, c.url, left(c.name, ${NAME_SHOWN}::int) as name, c.secret, c.staged_secret, case when c.former_until > now() then c.former_secret end as former_secret,
        c.api_key, c.headers, c.timeout_ms, c.max_in_flight is not null as counted,
        coalesce(c.staged_event_id = d.event_id, false) as proof,
        d.state in ('Pending', 'Retrying') as open, asked.opened_by,
        d.attempt_started_on is not null and coalesce(d.attempt_opened_by = asked.opened_by, false) as mine,
        case when d.state = 'Retrying' then greatest(0, 1000 * extract(epoch from d.retry_on - now())) else 0 end::float8 as wait_ms,
        ${probing} and d.state = 'Held' and c.state = 'Held' and c.deleted_on is null as probed,
        case
          when d.state = 'Held' then null
          when c.deleted_on is not null then 'Cancelled'
          when d.attempts - d.earlier_attempts >= case when d.is_ping then 1 else asked.maximum end then 'Exhausted'
          when c.state <> 'Active' and not d.is_ping then 'Held'
        end as ends_as
      from relaxed,
        unnest(${uuids(sql, ids)}, ${uuids(sql, tenantIds)},
          ${due.map(({ maximumAttempts }) => maximumAttempts)}::int[],
          ${uuids(
            sql,
            due.map(({ startedBy }) => startedBy),
          )}) as asked (id, tenant_id, maximum, opened_by)
        join deliveries d on d.id = asked.id and d.tenant_id = asked.tenant_id and ${isOpen(sql)}
        join webhook_connections c on c.id = d.connection_id
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
      where d.id = due.id and ${isOpen(sql)} and d.attempts = due.attempts and not due.mine
        and (due.step = 1 or due.attempt_started_on is not null)
      returning d.id
    )
    select due.id, due.mine or due.step = 1 and due.id in (select id from marked) as attempted, due.state, due.ends_as as "endsAs", due.wait_ms as "waitMs",
      due.event_id as "eventId", due.form, due.sign_by_key as "signByKey", due.compression, due.url, coalesce(due.name, '') as name,
      case when due.proof then due.staged_secret else due.secret end as secret,
      case when not due.proof then due.staged_secret end as "stagedSecret",
      case when not due.proof then due.former_secret end as "formerSecret", due.proof,
      due.api_key as "apiKey", due.headers, due.timeout_ms as "timeoutMs", due.is_ping as ping,
      due.attempts + due.step as number, due.attempts + due.step - due.earlier_attempts as "numberInRun"
    from due`;
  const eventIds = [...new Set(due.map(({ eventId }) => eventId))];
  const [started, events] = await Promise.all([rows, readPosted(sql, eventIds)]);
  return started.map((delivery) => {
    const event = events.get(delivery.eventId);
    const open = { ...delivery, occurredOn: timeOfId(delivery.eventId) };
    // Retention keeps the payloads of open deliveries; without one there is nothing to send.
    return event ? { ...open, ...event } : { ...open, ...NO_PAYLOAD };
  });
}

const NO_PAYLOAD = {
  attempted: false,
  endsAs: "Cancelled",
  payload: "",
  previous: null,
  sequences: null,
  traceParent: null,
} as const;

interface Posted {
  traceParent: string | null;
  payload: string;
  previous: string | null;
  sequences: number[] | null;
}

type StartedRow = Omit<OpenDelivery, keyof Posted | "occurredOn">;

/** Reads events and payloads by id alone, so PostgreSQL opens only their partitions. */
export async function readPosted(sql: Queries, ids: EventId[]): Promise<Map<EventId, Posted>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<(Posted & { id: EventId })[]>`
    select e.id, e.trace_parent as "traceParent", p.payload, p.previous, e.sequences
    from events e join payloads p on p.event_id = e.id
    where e.id = any (${ids}::uuid[]) and p.event_id = any (${ids}::uuid[])`;
  return new Map(rows.map(({ id, ...posted }) => [id, posted]));
}

export interface ClosedDelivery extends Pick<OpenDelivery, "state" | "number" | "waitMs" | "endsAs"> {
  attempted: false;
}

export async function findClosed(
  sql: Queries,
  { tenantId, eventId, deliveryId }: Pick<DueAttempt, "tenantId" | "eventId" | "deliveryId">,
): Promise<ClosedDelivery | undefined> {
  const [row] = await sql<ClosedDelivery[]>`
    select false as attempted, d.state, d.attempts as number, 0 as "waitMs", null as "endsAs" from deliveries d
    where d.tenant_id = ${tenantId} and d.event_id = ${eventId} and d.id = ${deliveryId} and ${isClosed(sql)}`;
  return row;
}

/** Whether a workflow has delivery `d`, its event's or its own, or the dispatch will give it one. */
export const isUnderWay = (sql: Queries) => sql`
  (d.due_on is null or d.begun_on is not null) and d.state in ('Pending', 'Retrying')`;

/** Whether delivery `d` is claimed, or counts for MaxInFlight. Others of such a connection have no post in flight. */
export const isClaimed = (sql: Queries) => sql`d.begun_on is not null and d.state in ('Pending', 'Retrying')`;

/** An arbitrary constant, unique among our advisory locks. */
const POSTS_LOCK = 7_203_432;

/**
 * Counts a retry in its connection's rate, if the rate allows it within `maxWaitMs`.
 * @returns milliseconds until then; undefined: not counted
 */
export async function countInRate(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  maxWaitMs: number,
): Promise<number | undefined> {
  const [row] = await sql<{ waitMs: number | null }[]>`
    with retry as (
      update webhook_connections c
      set next_post_on = greatest(c.next_post_on, now()) + interval '1 second' / c.rate_per_second
      where c.id = ${connectionId} and c.tenant_id = ${tenantId} and c.rate_per_second is not null
        and c.next_post_on <= now() + ${maxWaitMs} * interval '1 millisecond'
      returning (1000 * extract(epoch from c.next_post_on - interval '1 second' / c.rate_per_second - now()))::float8 as wait
    )
    select case when c.rate_per_second is null then 0 else (select wait from retry) end as "waitMs"
    from webhook_connections c where c.id = ${connectionId} and c.tenant_id = ${tenantId}`;
  return row ? (row.waitMs ?? undefined) : 0;
}

/** Serializes attempts under MaxInFlight. @returns whether one more is allowed, until the transaction ends */
export async function lockPosts(tx: Transaction, tenantId: TenantId, deliveryId: DeliveryId): Promise<boolean> {
  const [limit] = await tx<{ connectionId: ConnectionId; max: number | null }[]>`
    select c.id as "connectionId", case when not d.is_ping then c.max_in_flight end as max
    from deliveries d join webhook_connections c on c.id = d.connection_id
    where d.id = ${deliveryId} and d.tenant_id = ${tenantId} and ${isOpen(tx)}`;
  if (!limit || limit.max === null) return true;
  await tx`select pg_advisory_xact_lock(${POSTS_LOCK}, hashtext(${limit.connectionId}))`;
  const [inFlight] = await tx<{ count: number }[]>`
    select count(*) as count from deliveries d
    where d.connection_id = ${limit.connectionId} and ${isClaimed(tx)} and d.id <> ${deliveryId}
      and d.attempt_started_on is not null`;
  return inFlight!.count < limit.max;
}

/** Counts posts in progress for a connection that has just got MaxInFlight. */
export async function countPostsInFlight(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<void> {
  await tx`
    update deliveries d set begun_on = now()
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and ${isUnderWay(tx)}
      and d.attempt_started_on is not null and d.begun_on is null`;
}

/** Whether delivery `d` is in the queue, so that no workflow has it. */
export const isQueued = (sql: Queries) =>
  sql`d.due_on is not null and d.begun_on is null and d.state in ('Pending', 'Retrying')`;
