import type { Fragment } from "postgres";
import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import { DEFAULT_LIMIT, laterOf, MAX_LIMIT } from "../../platform/http/query.ts";
import { type ConnectionId, type DeliveryId, type EventId, lowestIdOf, type TenantId } from "../../platform/ids.ts";
import { LOGGED_EVENT_TYPES, type LoggedEventType, PING } from "../../records/index.ts";
import type { Connection, ConnectionState } from "../connections.store.ts";
import { isDrainPaused } from "../redelivery/store.ts";
import { hadTrouble, newestClosed, newestOpen } from "../states.store.ts";
import type { ATTEMPT, DELIVERY, EventFilter } from "./contract.ts";

export interface LoggedEvent {
  id: EventId;
  eventRecord: string;
  eventType: LoggedEventType;
  recordIds: string[];
  occurredOn: Date;
  /** The connections whose filter did not match. */
  withheld: ConnectionId[] | null;
  deliveries: LoggedDelivery[];
}

export interface WithPayload {
  /** The exact text of every attempt; null: it was removed. */
  payload: string | null;
}

export interface WholeEvent extends LoggedEvent, WithPayload {
  /** Sequence numbers of its records, in the payload's order; null if it is not a change. */
  sequences: number[] | null;
  /** The trace of the originating request; null for events before tracing. */
  traceParent: string | null;
  /** null: the payload is kept. */
  payloadRemovedOn: Date | null;
  /** By the erasure of a person; otherwise a missing payload was removed after PAYLOAD_RETENTION. */
  isErased: boolean;
  /** Consistent with the states of its deliveries; only if requested. */
  attempts?: LoggedAttempt[];
}

export interface LoggedDelivery extends LogRow<typeof DELIVERY.field> {
  part: number;
  attempts: number;
  kind: Connection["kind"];
  connectionState: ConnectionState;
  drainPaused: boolean;
}

export interface LoggedAttempt extends LogRow<typeof ATTEMPT.field> {
  deliveryId: DeliveryId;
  responseHeaders: string | null;
  responseBody: string | null;
}

/** A point in the commit order. */
export interface Moment {
  /** Milliseconds since 1970. */
  time: number;
  /** pg_snapshot, which names the transactions that were still running. */
  snapshot: string;
}

export type CommittedFilter = Pick<EventFilter, "EventRecord" | "EventType">;

/** An event as committed, without its deliveries. */
export interface CommittedEvent
  extends Omit<WholeEvent, "deliveries" | "withheld" | "traceParent" | "payloadRemovedOn" | "isErased"> {}

const columns = (sql: Queries, tenantId: TenantId) => sql`
  e.id, e.event_record as "eventRecord", e.event_type as "eventType", string_to_array(e.record_id, ',') as "recordIds",
  e.occurred_on as "occurredOn", e.withheld,
  coalesce((
    select json_agg(json_build_object('id', d.id, 'connectionId', d.connection_id, 'part', d.part, 'state', d.state,
      'attempts', d.attempts, 'run', 1 + cardinality(d.redelivered_after), 'connectionState', c.state, 'kind', c.kind,
      'drainPaused', d.state = 'Held' and ${isDrainPaused(sql, tenantId, sql`c.id`)}) order by d.connection_id)
    from deliveries d join webhook_connections c on c.id = d.connection_id
    where d.event_id = e.id), '[]') as deliveries`;

/**
 * Newest first; one more than the limit if there are more. Each way has an index, so rare events are found without
 * reading all others. OFFSET 0 keeps the planner from reading whole tables instead of one event after the other.
 * @param records all values of EventRecord
 * @param membersOf entities for which the Id is also searched in events of several records
 * @param withPayload policies need it
 */
export async function listEvents(
  sql: Queries,
  tenantId: TenantId,
  filter: EventFilter,
  { records, membersOf }: Record<"records" | "membersOf", readonly string[]>,
  limit: number,
  after: string | undefined,
  withPayload: boolean,
): Promise<(LoggedEvent & Partial<WithPayload>)[]> {
  const { State: state, Was: was, Failed: failed, SentAgain: sentAgain, Reason: reason, To: to } = filter;
  const { ConnectionId: connectionId, RecordId: recordId, EventRecord: eventRecord, EventType: eventType } = filter;
  const from = laterOf(filter.From, filter.Last);
  const within = (id: Fragment) => sql`
    ${after ? sql`and ${id} < ${after}` : sql``}
    ${from ? sql`and ${id} >= ${lowestIdOf(from)}` : sql``} ${to ? sql`and ${id} < ${lowestIdOf(to)}` : sql``}`;
  const toConnection = connectionId ? sql`and d.connection_id = ${connectionId}` : sql``;
  const delivered = sql`
    ${state ? sql`and d.state = any (${state === "Open" ? ["Pending", "Retrying"] : [state]}::text[])` : sql``}
    ${was ? sql`and ${wasIn(sql, was)}` : sql``} ${failed ? sql`and ${hasFailed(sql)}` : sql``}
    ${sentAgain ? sql`and ${wasSentAgain(sql)}` : sql``} ${reason ? sql`and ${cameTo(sql, reason, state)}` : sql``}
    ${toConnection}`;
  const byDelivery = Boolean(state || was || failed || sentAgain || reason || connectionId);
  const byOutcome = Boolean(filter.OutcomeFrom || filter.OutcomeTo);
  const has = (what: Fragment) => sql`exists (select from deliveries d where d.event_id = e.id ${what} offset 0)`;
  const matching = sql`
    e.tenant_id = ${tenantId} ${within(sql`e.id`)}
      ${eventRecord ? sql`and e.event_record = ${eventRecord}` : sql``}
      ${eventType ? sql`and e.event_type = ${eventType}` : sql``}
      ${from ? sql`and e.occurred_on >= ${from}` : sql``} ${to ? sql`and e.occurred_on < ${to}` : sql``}
      ${failed === false ? sql`and not ${has(sql`and ${hasFailed(sql)} ${toConnection}`)}` : sql``}
      ${sentAgain === false ? sql`and not ${has(sql`and ${wasSentAgain(sql)} ${toConnection}`)}` : sql``}`;
  const andDelivered = byDelivery ? sql`and ${has(delivered)}` : sql``;
  const newest = sql`order by e.id desc limit ${rowLimit(sql, limit)}`;
  const page = (which: Fragment) => sql`select e.* from events e where ${matching} ${andDelivered} ${which} ${newest}`;
  // The events of deliveries `d`, in their order.
  const of = (deliveries: Fragment, which = sql``) => sql`
    select e.* from (${deliveries}) d
      cross join lateral (select * from events e where e.id = d.event_id and ${matching} ${which} offset 0) e
    limit ${rowLimit(sql, limit)}`;
  const ofRecord = () => sql`
    (${page(sql`and strpos(e.record_id, ',') = 0 and e.record_id = ${recordId!}`)}) union all
    (${of(
      sql`
        select m.id as event_id from events m
        where m.tenant_id = ${tenantId} and m.event_record = any (${[...membersOf]}::text[])
          and strpos(m.record_id, ',') > 0 and string_to_array(m.record_id, ',') @> ${[recordId!]}::text[]
        order by m.id desc offset 0`,
      andDelivered,
    )})`;
  const ofOutcome = () =>
    of(
      sql`
        select distinct event_id from (${withOutcome(sql, tenantId, filter)}) o where true ${within(sql`event_id`)}
        order by event_id desc offset 0`,
      andDelivered,
    );
  // NULLS LAST: only events_kind has this order.
  const ofKind = () => sql`
    select e.* from unnest(${eventRecord ? [eventRecord] : [...records]}::text[]) as record,
      unnest(${eventType ? [eventType] : [...LOGGED_EVENT_TYPES]}::text[]) as type, lateral (
        select e.* from events e where ${matching} ${andDelivered} and e.event_record = record and e.event_type = type
        order by e.id desc nulls last limit ${rowLimit(sql, limit)}
      ) e`;
  const isRare = failed || sentAgain || reason || was === "Retrying" || state === "Exhausted" || state === "Cancelled";
  const ofConnection = sql`d.tenant_id = ${tenantId} and d.connection_id = c.id ${within(sql`d.event_id`)} ${delivered}`;
  // Without a limit, the planner would not consider reading only the first ones.
  const open = of(sql`${newestOpen(sql, ofConnection)} limit 1000000000`);
  const closed = of(sql`
    ${newestClosed(sql, isRare ? sql`${ofConnection} and ${hadTrouble(sql)}` : ofConnection)} limit 1000000000`);
  const either = state === "Delivered" || state === "Exhausted" || state === "Cancelled" ? closed : open;
  const ofConnections = () => sql`
    select distinct on (e.id) e.* from webhook_connections c
      cross join lateral (${state ? either : sql`(${open}) union all (${closed})`}) e
    where c.tenant_id = ${tenantId} ${connectionId ? sql`and c.id = ${connectionId}` : sql``} ${newest}`;
  const found = () => {
    if (recordId !== undefined) return ofRecord();
    if (byOutcome) return ofOutcome();
    if (byDelivery && (connectionId || state !== "Delivered")) return ofConnections();
    return eventRecord || eventType ? ofKind() : page(sql``);
  };
  return sql<(LoggedEvent & Partial<WithPayload>)[]>`
    select ${columns(sql, tenantId)} ${withPayload ? sql`, (select payload from payloads where event_id = e.id)` : sql``}
    from (${found()}) e order by e.id desc limit ${limit + 1}`;
}

/** One more than a page. A literal: with a parameter, the planner would read and sort all rows. */
const rowLimit = (sql: Queries, limit: number) =>
  sql.unsafe(`${limit <= DEFAULT_LIMIT ? DEFAULT_LIMIT + 1 : Math.max(limit, MAX_LIMIT) + 1}`);

/** Whether delivery `d` was sent again. */
const wasSentAgain = (sql: Queries) => sql`d.redelivered_after <> '{}'`;
const hasFailed = (sql: Queries) => sql`exists (
  select from attempts a where a.event_id = d.event_id and a.delivery_id = d.id and a.failed_to is not null offset 0)`;

/** For `d`. Attempts are immutable, and the state before a redelivery is kept. */
function wasIn(sql: Queries, was: Exclude<DeliveryState, "Pending">): Fragment {
  const before =
    was === "Retrying"
      ? sql`select from attempts a
          where a.event_id = d.event_id and a.delivery_id = d.id and a.failed_to is not null and a.number < d.attempts`
      : sql`select from former_outcomes f where f.event_id = d.event_id and f.delivery_id = d.id and f.state = ${was}`;
  return sql`(d.state = ${was} or exists (${before} offset 0))`;
}

/** The events of the deliveries in charts (figures/outcomes.store.ts). */
function withOutcome(
  sql: Queries,
  tenantId: TenantId,
  { Was: was, ConnectionId: connectionId, OutcomeFrom: outcomeFrom, OutcomeTo: outcomeTo }: EventFilter,
): Fragment {
  const is = (state: Fragment, at: Fragment, of: Fragment) => sql`
    ${outcomeFrom ? sql`and ${at} >= ${outcomeFrom}` : sql``} ${outcomeTo ? sql`and ${at} < ${outcomeTo}` : sql``}
    ${was ? sql`and ${state} = ${was}` : sql``} ${connectionId ? sql`and ${of}.connection_id = ${connectionId}` : sql``}`;
  return sql`
    select d.event_id from deliveries d
    where d.tenant_id = ${tenantId} and not d.is_ping ${is(sql`d.state`, sql`d.changed_on`, sql`d`)}
    union all
    select f.event_id from former_outcomes f
    where f.tenant_id = ${tenantId} ${is(sql`f.state`, sql`f.reached_on`, sql`f`)}`;
}

/** For `d`. A delivery that succeeded in its only attempt has no other result. */
function cameTo(sql: Queries, reason: string, state: EventFilter["State"]): Fragment {
  if (state) return sql`d.reason = ${reason}`;
  return sql`(d.reason = ${reason} or (d.attempts > 1 and exists (
    select from attempts a
    where a.event_id = d.event_id and a.delivery_id = d.id and coalesce(a.failure, a.status_code::text) = ${reason} offset 0)))`;
}

export async function findEvent(
  sql: Queries,
  tenantId: TenantId,
  id: EventId,
  { withAttempts = false } = {},
): Promise<WholeEvent | undefined> {
  type Attempt = Omit<LoggedAttempt, "startedOn"> & { startedOn: string };
  const [event] = await sql<(Omit<WholeEvent, "attempts"> & { attempts?: Attempt[] })[]>`
    select ${columns(sql, tenantId)}, p.payload, e.sequences, e.trace_parent as "traceParent",
      e.payload_erased_on is not null as "isErased",
      case when p.payload is null then coalesce(e.payload_erased_on, (
        select removed_on from removals where parent = 'payloads' and starts_on = partition_start('payloads', e.occurred_on)
      )) end as "payloadRemovedOn"
      ${withAttempts ? sql`, array(select to_json(a) from (${attemptsOf(sql, tenantId, id)}) a) as attempts` : sql``}
    from events e left join payloads p on p.event_id = e.id
    where e.tenant_id = ${tenantId} and e.id = ${id}`;
  if (!event?.attempts) return event as WholeEvent | undefined;
  const attempts = event.attempts.map((attempt) => ({ ...attempt, startedOn: new Date(attempt.startedOn) }));
  return { ...event, attempts };
}

/** The number of newest changes of a record searched for the previous one. */
const MAX_CHANGES_BEFORE = 50;
/** The allowed clock difference between APIs: ids use an API's clock, sequences follow commits. */
const CLOCKS_MS = 60_000;

/** The event of a record's previous change; undefined: it is not stored. */
export async function findEventBefore(
  sql: Queries,
  tenantId: TenantId,
  {
    occurredOn,
    eventRecord,
    recordId,
    sequence,
  }: { occurredOn: Date; eventRecord: string; recordId: string; sequence: number },
): Promise<EventId | undefined> {
  const until = lowestIdOf(new Date(occurredOn.getTime() + CLOCKS_MS));
  const [row] = await sql<{ id: EventId }[]>`
    select id from (
      (select e.id, e.sequences[1] as sequence from events e
        where e.tenant_id = ${tenantId} and strpos(e.record_id, ',') = 0 and e.record_id = ${recordId}
          and e.event_record = ${eventRecord} and e.id < ${until}
        order by e.id desc limit ${MAX_CHANGES_BEFORE})
      union all
      (select e.id, e.sequences[array_position(string_to_array(e.record_id, ','), ${recordId}::text)] from events e
        where e.id = any (array(
          select m.id from events m
          where m.tenant_id = ${tenantId} and m.event_record = ${eventRecord} and strpos(m.record_id, ',') > 0
            and string_to_array(m.record_id, ',') @> ${[recordId]}::text[] and m.id < ${until}))
        order by e.id desc limit ${MAX_CHANGES_BEFORE})
    ) changes where sequence = ${sequence - 1} limit 1`;
  return row?.id;
}

export async function readMoment(sql: Queries): Promise<Moment> {
  const [moment] = await sql<Moment[]>`
    select floor(1000 * extract(epoch from clock_timestamp()))::float8 as time, pg_current_snapshot()::text as snapshot`;
  return moment!;
}

/** The maximum time from an EventId's timestamp to its commit: longer than any request takes. */
export const MAX_COMMIT_MS = 60_000;

/** Changes committed between two moments, ordered by id. */
export async function listCommitted(
  sql: Queries,
  tenantId: TenantId,
  { EventRecord, EventType }: CommittedFilter,
  { from, to, after }: { from: Moment; to: Moment; after: string | undefined },
  limit: number,
): Promise<CommittedEvent[]> {
  const first = lowestIdOf(new Date(from.time - MAX_COMMIT_MS));
  return sql<CommittedEvent[]>`
    select e.id, e.event_record as "eventRecord", e.event_type as "eventType",
      string_to_array(e.record_id, ',') as "recordIds", e.occurred_on as "occurredOn", p.payload, e.sequences
    from events e left join payloads p on p.event_id = e.id and p.event_id >= ${first}
    where e.tenant_id = ${tenantId} and e.id >= ${first} and e.event_type <> ${PING}
      and not pg_visible_in_snapshot(e.written_by, ${from.snapshot}::pg_snapshot)
      and pg_visible_in_snapshot(e.written_by, ${to.snapshot}::pg_snapshot)
      ${after ? sql`and e.id > ${after}` : sql``}
      ${EventRecord ? sql`and e.event_record = ${EventRecord}` : sql``}
      ${EventType ? sql`and e.event_type = ${EventType}` : sql``}
    order by e.id limit ${limit}`;
}

export interface AttemptSelection {
  deliveryIds: DeliveryId[];
  last: number;
}

/** Ordered by delivery and number. */
export async function listAttempts(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  selection: AttemptSelection,
): Promise<LoggedAttempt[]> {
  return sql<LoggedAttempt[]>`${attemptsOf(sql, tenantId, eventId, selection)}`;
}

const attemptsOf = (sql: Queries, tenantId: TenantId, eventId: EventId, selection?: AttemptSelection) => sql`
  select a.delivery_id as "deliveryId", a.number, a.started_on as "startedOn", a.duration_ms as "durationMs",
    1 + (select count(*) from unnest(d.redelivered_after) as after where after < a.number) as run,
    a.status_code as "statusCode", a.failure, r.headers as "responseHeaders", r.body as "responseBody"
  from attempts a join deliveries d on d.event_id = a.event_id and d.id = a.delivery_id
  left join responses r on r.event_id = a.event_id and r.delivery_id = a.delivery_id and r.number = a.number
  where d.tenant_id = ${tenantId} and d.event_id = ${eventId}
    ${
      selection
        ? sql`and d.id = any (${selection.deliveryIds}::uuid[]) and a.number > d.attempts - ${selection.last}::int`
        : sql``
    }
  order by a.delivery_id, a.number`;
