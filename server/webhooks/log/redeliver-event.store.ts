import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries, Transaction } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, RedeliveryId, TenantId } from "../../platform/ids.ts";
import { outbox } from "../../records/index.ts";

export interface EventDelivery {
  id: DeliveryId;
  connectionId: ConnectionId;
  part: number;
  state: DeliveryState;
  connectionDeleted: boolean;
  /** Why its connection is Held; null: it is not. */
  heldReason: string | null;
  redeliveries: number;
}

/** Locks the connections, then the deliveries, which is the common order. */
export async function lockEventDeliveries(
  tx: Transaction,
  tenantId: TenantId,
  eventId: EventId,
  connectionId: ConnectionId | undefined,
): Promise<EventDelivery[]> {
  const ofConnection = connectionId ? tx`and d.connection_id = ${connectionId}` : tx``;
  await tx`
    select from webhook_connections where tenant_id = ${tenantId} and id in (
      select d.connection_id from deliveries d where d.tenant_id = ${tenantId} and d.event_id = ${eventId} ${ofConnection}
    ) order by id for key share`;
  return tx<EventDelivery[]>`
    select d.id, d.connection_id as "connectionId", d.part, d.state, c.deleted_on is not null as "connectionDeleted",
      case when c.state = 'Held' then c.held_reason end as "heldReason", cardinality(d.redelivered_after) as redeliveries
    from deliveries d join webhook_connections c on c.id = d.connection_id
    where d.tenant_id = ${tenantId} and d.event_id = ${eventId} ${ofConnection}
    order by d.id for update of d`;
}

export async function hasPayload(sql: Queries, eventId: EventId): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`select exists (select from payloads where event_id = ${eventId}) as has`;
  return row!.has;
}

/** Whether a workflow of these parts has remaining work. */
export async function hasOpenRun(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  parts: number[],
): Promise<boolean> {
  const [row] = await sql<{ open: boolean }[]>`
    select exists (
      select from deliveries
      where tenant_id = ${tenantId} and event_id = ${eventId} and part = any (${parts}::integer[])
        and state in ('Pending', 'Retrying')
    ) as open`;
  return row!.open;
}

/** Bulk redeliveries that have not counted this event's result yet. */
export async function listCounting(sql: Queries, tenantId: TenantId, eventId: EventId): Promise<RedeliveryId[]> {
  const rows = await sql<{ id: RedeliveryId }[]>`
    select distinct redelivery_id as id from deliveries
    where tenant_id = ${tenantId} and event_id = ${eventId} and redelivery_id is not null
      and state not in ('Pending', 'Retrying')`;
  return rows.map(({ id }) => id);
}

/** Starts a new run of deliveries through the queue, with all attempts and continued numbering. */
export async function redeliver(
  tx: Transaction,
  tenantId: TenantId,
  eventId: EventId,
  ids: DeliveryId[],
): Promise<void> {
  await tx`
    with redelivered as (
      update deliveries d set changed_on = now(), earlier_attempts = attempts,
        redelivered_after = redelivered_after || attempts, redelivery_id = null, due_on = now(), begun_on = null, leased_on = null,
        state = case when c.state = 'Active' and not c.draining and c.kind = 'Push' then 'Pending' else 'Held' end
      from webhook_connections c
      where d.tenant_id = ${tenantId} and d.event_id = ${eventId} and d.id = any (${ids}::uuid[])
        and c.id = d.connection_id
      returning d.connection_id, c.kind
    )
    select ${outbox.wakeQueue(tx, tx`${tenantId}::text`, tx`connection_id`)},
      case when kind = 'Pull' then pg_notify(${outbox.PULL_CHANNEL}, connection_id::text) end
    from redelivered`;
}
