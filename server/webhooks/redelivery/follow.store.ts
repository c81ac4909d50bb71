// The worker's queries for a bulk redelivery. The common lock order is connection, redelivery, delivery.

import { type Queries, repeating, type Transaction } from "../../platform/db/sql.ts";
import type { ConnectionId, RedeliveryId, TenantId } from "../../platform/ids.ts";
import { connectionName } from "../connections.store.ts";
import { isClosed } from "../states.store.ts";
import type { RedeliveryKind } from "./contract.ts";
import { matching, type Redelivery, wakeStarters } from "./store.ts";

export async function isAnyLeft(sql: Queries, tenantId: TenantId, redelivery: Redelivery): Promise<boolean> {
  const [row] = await sql<{ left: boolean }[]>`select exists (select ${matching(sql, tenantId, redelivery)}) as left`;
  return row!.left;
}

export const countEnded = repeating(async function countEnded(
  sql: Queries,
  tenantId: TenantId,
  id: RedeliveryId,
): Promise<void> {
  await sql`
    with redelivery as (
      select id from redeliveries where tenant_id = ${tenantId} and id = ${id} for update
    ), ended as (
      update deliveries d set redelivery_id = null from redelivery
      where d.redelivery_id = redelivery.id and d.tenant_id = ${tenantId}
        and (d.state = 'Held' or ${isClosed(sql)})
      returning d.state
    ), counts as (
      select count(*) as done, count(*) filter (where state = 'Delivered') as delivered,
        count(*) filter (where state = 'Exhausted') as exhausted
      from ended
    )
    update redeliveries r set done = r.done + counts.done, delivered = r.delivered + counts.delivered,
      exhausted = r.exhausted + counts.exhausted
    from counts where r.id = ${id} and r.tenant_id = ${tenantId} and counts.done > 0`;
});

/** Counts and detaches ended deliveries of all the connection's redeliveries. @param tx has locked the connection */
export async function countAllEnded(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  const rows = await tx<{ id: RedeliveryId }[]>`
    select distinct redelivery_id as id from deliveries d
    where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.redelivery_id is not null
      and (d.state = 'Held' or ${isClosed(tx)})
    order by redelivery_id`;
  for (const { id } of rows) await countEnded(tx, tenantId, id);
}

export async function countOpen(sql: Queries, tenantId: TenantId, id: RedeliveryId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from deliveries where redelivery_id = ${id} and tenant_id = ${tenantId}`;
  return row!.count;
}

/**
 * Counts the total again: done, in progress and remaining. A Replay no longer selects deliveries that were sent singly
 * meanwhile, or have lost their payload. It counts these as skipped.
 */
export async function countTotal(sql: Queries, tenantId: TenantId, redelivery: Redelivery): Promise<void> {
  await sql`
    with counted as (
      select done, done
        + (select count(*) from deliveries where redelivery_id = ${redelivery.id} and tenant_id = ${tenantId})
        + (select count(*) ${matching(sql, tenantId, redelivery)}) as total
      from redeliveries where id = ${redelivery.id}
    )
    update redeliveries r set total = counted.total,
      skipped = r.skipped + case r.kind when 'Replay' then greatest(0, r.total - counted.total) else 0 end
    from counted
    -- Others may have counted ended ones meanwhile.
    where r.id = ${redelivery.id} and r.tenant_id = ${tenantId} and r.state = 'Running' and r.done = counted.done`;
}

/** All held deliveries are sent, so new ones go out at once, and waiting Replays continue. */
export async function endDraining(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    with connection as (
      update webhook_connections set draining = false
      where tenant_id = ${tenantId} and id = ${connectionId} and draining returning id
    )
    update redeliveries r set lease_until = '-infinity' from connection
    where r.connection_id = connection.id and r.tenant_id = ${tenantId} and r.kind = 'Replay'
      and r.state in ('Running', 'Paused')`;
  await wakeStarters(tx, tenantId, connectionId);
}

export async function completeRedelivery(tx: Transaction, tenantId: TenantId, id: RedeliveryId): Promise<void> {
  await tx`
    update redeliveries set state = 'Completed', total = done, ended_on = now(), lease_until = 'infinity',
      skipped = skipped + case kind when 'Replay' then greatest(0, total - done) else 0 end
    where tenant_id = ${tenantId} and id = ${id} and state = 'Running'`;
}

/** A redelivery with a workflow that must be started or notified. */
export interface DueRedelivery {
  id: RedeliveryId;
  tenantId: TenantId;
  connectionId: ConnectionId;
  kind: RedeliveryKind;
  /** Its connection's name, or its id if it has no name. */
  to: string;
}

/** Leases new and changed redeliveries, and those not checked for `checkMs`. An ended one is notified once. */
export async function leaseRedeliveries(sql: Queries, checkMs: number, limit: number): Promise<DueRedelivery[]> {
  return sql<DueRedelivery[]>`
    update redeliveries set lease_until =
      case when state in ('Running', 'Paused') then now() + ${checkMs} * interval '1 millisecond' else 'infinity' end
    where id in (
      select id from redeliveries where lease_until < now() order by lease_until limit ${limit} for update skip locked
    )
    returning id, tenant_id as "tenantId", connection_id as "connectionId", kind, (
      select ${connectionName(sql)} from webhook_connections k where k.id = connection_id
    ) as to`;
}
