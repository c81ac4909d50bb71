import type { PendingQuery, Row } from "postgres";
import { DELIVERIES_PER_WORKFLOW } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import type { ConnectionId, EventId, TenantId } from "../../platform/ids.ts";
import { ALERT_RECORD, type EventType, NAME_SHOWN } from "./event.ts";
import type { Receivers } from "./event-parts.ts";

/** An event's message is its id; without a message every worker looks. */
export const DISPATCH_CHANNEL = "gatehouse_dispatch";

/** A message is a Pull connection, whose consumer may get events now. */
export const PULL_CHANNEL = "gatehouse_pull";

export async function wakePull(sql: Queries, id: ConnectionId): Promise<void> {
  await sql`select pg_notify(${PULL_CHANNEL}, ${id})`;
}

/** The same for a connection with new queued deliveries: the message names its tenant and the connection. */
export function wakeQueue(sql: Queries, tenantId: PendingQuery<Row[]>, connectionId: PendingQuery<Row[]>) {
  return sql`pg_notify(${DISPATCH_CHANNEL}, concat_ws(' ', ${tenantId}, ${connectionId}))`;
}

export interface NewEvent {
  eventId: EventId;
  eventType: string;
  eventRecord: string;
  recordIds: string[];
  sequences: number[] | null;
  payload: string;
  /** The former values of changed fields, as JSON. */
  previous?: string | null;
  /** With the meaning that it has in WorkflowToStart. */
  recordName: string | null;
  occurredOn: Date;
  traceParent: string | undefined;
}

export async function insertEvent(
  sql: Queries,
  tenantId: TenantId,
  event: NewEvent & Partial<Receivers>,
  notTo?: ConnectionId | null,
): Promise<void> {
  await insertionOfEvent(sql, tenantId, event, notTo);
}

/** In one statement: the event, a delivery for each matching connection, and an outbox row for each workflow. */
export function insertionOfEvent(
  sql: Queries,
  tenantId: TenantId,
  event: NewEvent & Partial<Receivers>,
  notTo: ConnectionId | null = null,
): PendingQuery<Row[]> {
  const { forms = [], withheld = [] } = event;
  return sql`
    with ${writtenEvent(sql, tenantId, event, withheld)}, connection as (
      -- Locked, so that one resumed or deleted meanwhile finds this delivery too.
      select c.id, c.state, c.draining, c.governed, c.kind,
        nullif(coalesce(delivery_form(c), '{}') || coalesce(own.form::jsonb, '{}'), '{}') as form
      from webhook_connections c
      left join unnest(${forms.map(({ id }) => id)}::uuid[], ${forms.map(({ form }) => JSON.stringify(form))}::text[])
        as own (id, form) on own.id = c.id
      where c.tenant_id = ${tenantId} and c.deleted_on is null
        and ${event.eventRecord} = any (c.entities) and ${event.eventType} = any (c.events)
        and c.id is distinct from ${notTo}::uuid and c.id <> all (${withheld}::uuid[])
      order by c.id for key share of c
    ), delivery as (
      insert into deliveries (id, tenant_id, event_id, connection_id, position, record, part, state, due_on, form)
      select gen_random_uuid(), ${tenantId}, ${event.eventId}, id, position,
        case when ${event.recordIds.length} = 1 then record_key(${event.eventRecord}, ${event.recordIds.join()}) end,
        1 + (row_number() over (order by id) - 1) / ${DELIVERIES_PER_WORKFLOW}::int,
        case when state = 'Active' and not draining and kind = 'Push' then 'Pending' else 'Held' end,
        case when governed then now() end, form
      from connection cross join event
      returning part
    ), dispatch as (
      insert into dispatches (tenant_id, event_id, part, event_record, event_type, record_id, record_name, trace_parent,
        delivery_count)
      select ${tenantId}, ${event.eventId}, part, ${event.eventRecord}, ${event.eventType}, ${event.recordIds.join()},
        ${event.recordName}, ${event.traceParent ?? null}, (select count(*) from delivery d where d.part = parts.part)
      from generate_series(1, greatest(1, (select max(part) from delivery))) as parts (part)
    )
    select pg_notify(${DISPATCH_CHANNEL}, ${event.eventId}),
      (select count(pg_notify(${PULL_CHANNEL}, id::text)) from connection where kind = 'Pull' and state = 'Active')`;
}

/** The same for one connection in any state: one delivery, one outbox row. @param isLikeChange in the form of its events */
export async function insertPing(
  sql: Queries,
  tenantId: TenantId,
  event: NewEvent,
  connectionId: ConnectionId,
  isLikeChange = false,
): Promise<void> {
  await sql`
    with ${writtenEvent(sql, tenantId, event)}, delivery as (
      insert into deliveries (id, tenant_id, event_id, connection_id, position, record, part, state, is_ping, form)
      select gen_random_uuid(), ${tenantId}, ${event.eventId}, ${connectionId}, position,
        record_key(${event.eventRecord}, ${event.recordIds.join()}), 1, 'Pending', true,
        (select delivery_form(c) from webhook_connections c where ${isLikeChange} and c.id = ${connectionId})
      from event
    ), dispatch as (
      insert into dispatches (tenant_id, event_id, part, event_record, event_type, record_id, record_name, trace_parent,
        delivery_count)
      values (${tenantId}, ${event.eventId}, 1, ${event.eventRecord}, ${event.eventType}, ${event.recordIds.join()},
        ${event.recordName}, ${event.traceParent ?? null}, 1)
    )
    select pg_notify(${DISPATCH_CHANNEL}, ${event.eventId})`;
}

const writtenEvent = (sql: Queries, tenantId: TenantId, event: NewEvent, withheld: ConnectionId[] = []) => sql`
  event as (
    insert into events (id, tenant_id, event_record, event_type, record_id, sequences, occurred_on, trace_parent, withheld)
    values (${event.eventId}, ${tenantId}, ${event.eventRecord}, ${event.eventType}, ${event.recordIds.join()},
      ${event.sequences}::bigint[], ${event.occurredOn}, ${event.traceParent ?? null}, nullif(${withheld}::uuid[], '{}'))
    returning position
  ), payload as (
    insert into payloads (event_id, payload, previous) values (${event.eventId}, ${event.payload}, ${event.previous ?? null})
  )`;

export interface DescribedEvent {
  eventRecord: string;
  eventType: string;
  recordIds: string[];
  /** With the meaning that it has in WorkflowToStart. */
  recordName: string | null;
  createdOn: Date;
  traceParent: string | null;
}

/** A separate query, because a join would open all partitions; ids as a parameter open only their own. */
export async function describeEvents(sql: Queries, ids: EventId[]): Promise<Map<EventId, DescribedEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<(DescribedEvent & { id: EventId })[]>`
    select e.id, e.event_record as "eventRecord", e.event_type as "eventType",
      string_to_array(e.record_id, ',') as "recordIds", e.recorded_on as "createdOn", e.trace_parent as "traceParent",
      case when e.event_record <> 'User' and strpos(e.record_id, ',') = 0
        then left(p.payload::json #>> '{Data,Name}', ${NAME_SHOWN}::int) end as "recordName"
    from events e left join payloads p on p.event_id = e.id and p.event_id = any (${ids}::uuid[])
    where e.id = any (${ids}::uuid[])`;
  return new Map(rows.map(({ id, ...event }) => [id, event]));
}

/** The records of events with several, by their keys as in deliveries.record. */
export async function listRecordKeys(sql: Queries, ids: EventId[]): Promise<Map<EventId, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<{ id: EventId; keys: string[] }[]>`
    select e.id, array(select record_key(e.event_record, one) from unnest(string_to_array(e.record_id, ',')) as one)
      as keys
    from events e where e.id = any (${ids}::uuid[])`;
  return new Map(rows.map(({ id, keys }) => [id, keys]));
}

/** For a statement: whether any connection has a subscription. */
export const isSubscribed = (
  sql: Queries,
  tenantId: TenantId,
  eventRecord: string,
  eventType: EventType,
) => sql`exists (
  select from webhook_connections
  where tenant_id = ${tenantId} and deleted_on is null and ${eventRecord} = any (entities) and ${eventType} = any (events)
)`;

/**
 * Whether any connection receives an alert. An alert about a connection that subscribes only to alerts has no receiver,
 * because two failing ones would alert each other endlessly.
 */
export async function isAlertHeard(
  sql: Queries,
  tenantId: TenantId,
  eventType: EventType,
  about: ConnectionId | null,
): Promise<boolean> {
  const [row] = await sql<{ isHeard: boolean }[]>`
    select exists (
      select from webhook_connections
      where tenant_id = ${tenantId} and deleted_on is null and id is distinct from ${about}::uuid
        and ${ALERT_RECORD} = any (entities) and ${eventType} = any (events)
    ) and not exists (
      select from webhook_connections
      where tenant_id = ${tenantId} and id = ${about}::uuid and entities <@ array[${ALERT_RECORD}]
    ) as "isHeard"`;
  return row!.isHeard;
}
