// The outbox: a dispatch leases rows, and removes them after their workflow has started.

import type { DeliveryToMake, EventName } from "../../../workflows/contract.ts";
import { type Queries, repeating, type Sql } from "../../platform/db/sql.ts";
import { listen } from "../../platform/db/watch.ts";
import { FAILURE_PAUSE_MS } from "../../platform/durations.ts";
import { isUuid } from "../../platform/http/query.ts";
import type { ConnectionId, DeliveryId, EventId, RedeliveryId, TenantId } from "../../platform/ids.ts";
import { outbox } from "../../records/index.ts";
import { connectionName } from "../connections.store.ts";
import { isOpen } from "../states.store.ts";
import type { QueueId } from "./schedule.ts";
import { STARTING_MS } from "./starting.ts";

export interface WorkflowToStart extends EventName {
  tenantId: TenantId;
  part: number;
  /** Only for a single record that is not a User. */
  recordName: string | null;
  createdOn: Date;
  traceParent: string | null;
  deliveries: DeliveryToMake[];
  held: number;
  /** Deliveries in the queue or in a Drain, which get their own workflows. */
  queued: number;
  /** Deliveries in any state; absent: those above are all. */
  total?: number;
  /** How often the delivery was sent again before and with this workflow; absent: it is the event's first. */
  sentAgain?: number;
  /** The bulk redelivery that sends it. */
  redeliveryId?: RedeliveryId | null;
}

/** The workflow of an event, or one of several if it has many deliveries. */
export interface Dispatch extends WorkflowToStart {
  id: number;
  /** Deliveries in any state. */
  total: number;
  queues: ConnectionId[];
}

/**
 * Leases rows in random order, with at most `share` for each tenant, so one tenant's burst does not delay others.
 * @param fullTenants tenants that may start no more workflows now, which are skipped
 */
export async function leaseDispatches(
  sql: Queries,
  limit: number,
  share: number,
  fullTenants: TenantId[],
): Promise<Dispatch[]> {
  return sql<Dispatch[]>`
    with recursive waiting (tenant_id) as (
      (select tenant_id from dispatches order by tenant_id limit 1)
      union all
      select (
        select d.tenant_id from dispatches d
        where d.tenant_id > w.tenant_id order by d.tenant_id limit 1
      )
      from waiting w where w.tenant_id is not null
    ), leased as (
      update dispatches set lease_until = now() + ${STARTING_MS} * interval '1 millisecond'
      where id in (
        select next.id from waiting w, lateral (
          select id from dispatches d
          where d.tenant_id = w.tenant_id and d.lease_until < now()
          order by d.id limit ${share} for update skip locked
        ) next
        where w.tenant_id <> all (${fullTenants}::uuid[])
        order by random() limit ${limit}
      )
      returning *
    )
    ${readLeased(sql)}`;
}

export const deliveryToMake = (sql: Queries) => sql`
  json_build_object('deliveryId', d.id, 'connectionId', d.connection_id, 'to', ${connectionName(sql)})`;

function readLeased(sql: Queries) {
  // The connection is active again, so the delivery only waits for earlier missed ones.
  const waitsForDrain = sql`(d.state = 'Held' and k.state = 'Active' and k.kind = 'Push')`;
  return sql`
    select c.id, c.tenant_id as "tenantId", c.event_id as "eventId", c.part,
      c.event_record as "eventRecord", c.event_type as "eventType",
      string_to_array(c.record_id, ',') as "recordIds", c.record_name as "recordName", c.created_on as "createdOn",
      c.trace_parent as "traceParent",
      coalesce(json_agg(${deliveryToMake(sql)})
        filter (where d.state in ('Pending', 'Retrying') and d.due_on is null), '[]') as deliveries,
      count(d.id) filter (where d.state = 'Held' and not ${waitsForDrain}) as held,
      count(d.id) filter (where d.state in ('Pending', 'Retrying') and d.due_on is not null or ${waitsForDrain}) as queued,
      c.delivery_count as total,
      coalesce(array_agg(d.connection_id)
        filter (where d.state in ('Pending', 'Retrying') and d.due_on is not null and d.begun_on is null), '{}') as queues
    from leased c
    left join deliveries d on d.event_id = c.event_id and d.part = c.part and ${isOpen(sql)}
    left join webhook_connections k on k.id = d.connection_id
    group by c.id, c.tenant_id, c.event_id, c.part, c.created_on, c.event_record, c.event_type, c.record_id,
      c.record_name, c.trace_parent, c.delivery_count
    order by c.id`;
}

/** @returns one element for each id */
export async function removeDispatches(sql: Queries, ids: readonly number[]): Promise<undefined[]> {
  await sql`delete from dispatches where id = any (${ids as number[]})`;
  return ids.map(() => undefined);
}

export async function postponeDispatch(sql: Queries, id: number): Promise<void> {
  await sql`update dispatches set lease_until = now() + ${FAILURE_PAUSE_MS} * interval '1 millisecond' where id = ${id}`;
}

/**
 * Calls `wake` with the id of each committed event, and with the connection of a queue that has new deliveries. Without
 * either, every worker checks: after a connection to PostgreSQL, and if the first worker may start no more workflows.
 */
export function listenForDispatches(sql: Sql, wake: (key?: EventId | ConnectionId, queue?: QueueId) => void) {
  return listen(sql, outbox.DISPATCH_CHANNEL, (message) => {
    const [first = "", connectionId] = message?.split(" ") ?? [];
    if (!isUuid<EventId & TenantId>(first)) wake();
    else if (connectionId && isUuid<ConnectionId>(connectionId)) wake(connectionId, { tenantId: first, connectionId });
    else wake(first);
  });
}

/** For a worker that checks first, but may start no more workflows. */
export async function wakeOthers(sql: Queries): Promise<void> {
  await sql`select pg_notify(${outbox.DISPATCH_CHANNEL}, '')`;
}

export interface InactiveDelivery extends EventName {
  tenantId: TenantId;
  part: number;
  deliveryIds: DeliveryId[];
}

type Inactive = Pick<InactiveDelivery, "tenantId" | "eventId" | "part" | "deliveryIds">;

/** @param olderThanMs time since the last activity, for deliveries that wait for no workflow */
export const findInactiveDeliveries = repeating(async function findInactiveDeliveries(
  sql: Queries,
  olderThanMs: number,
  limit: number,
): Promise<InactiveDelivery[]> {
  const inactive = await sql<Inactive[]>`
    with inactive as (
      update deliveries set changed_on = now()
      where state in ('Pending', 'Retrying') and id in (
        select d.id from deliveries d
        where d.state in ('Pending', 'Retrying') and d.changed_on < now() - ${olderThanMs} * interval '1 millisecond'
          and (d.attempt_started_on < now() - ${olderThanMs} * interval '1 millisecond') is not false
          and (d.begun_on is not null or d.due_on is null
            and not exists (select from dispatches o where o.event_id = d.event_id and o.part = d.part))
        order by d.changed_on limit ${limit} for update skip locked
      )
      returning id, tenant_id, event_id, part
    )
    select tenant_id as "tenantId", event_id as "eventId", part, array_agg(id) as "deliveryIds"
    from inactive group by tenant_id, event_id, part`;
  const events = await outbox.describeEvents(
    sql,
    inactive.map(({ eventId }) => eventId),
  );
  return inactive.flatMap((one) => {
    const event = events.get(one.eventId);
    return event ? [{ ...one, ...event }] : [];
  });
});
