// The outbox: claimed by lease, removed once its workflow is started.

import type { Queries, Sql } from "../../db/connection.ts";
import { DISPATCH_CHANNEL } from "../events/store.ts";

/** One workflow to start. */
export interface Dispatch {
  id: number;
  tenantId: string;
  eventId: string;
  part: number;
  /** True if this is a new run for named deliveries of an event dispatched before. */
  again: boolean;
  eventRecord: string;
  eventType: string;
  recordIds: string[];
  /** When it was put into the outbox. */
  createdOn: Date;
  deliveries: { deliveryId: string; connectionId: string }[];
  /** Deliveries that are recorded and wait for their connection. */
  held: number;
}

const LEASE = "30 seconds";
/** After a failed start, so that a Temporal that is away is not asked all the time. */
const RELEASE = "1 second";
const LONGEST_POSTPONEMENT = "1 minute";

/**
 * Leases up to `limit` rows, the tenants taking turns: `share` of each at most, so that one tenant's burst does not
 * make another's single change wait.
 *
 * @param fullTenants whose turn it is not
 */
export async function claimDispatches(
  sql: Queries,
  limit: number,
  share: number,
  fullTenants: string[],
): Promise<Dispatch[]> {
  return sql<Dispatch[]>`
    with recursive waiting (tenant_id) as (
      (select tenant_id from dispatches order by tenant_id limit 1)
      union all
      select (select d.tenant_id from dispatches d where d.tenant_id > w.tenant_id order by d.tenant_id limit 1)
      from waiting w where w.tenant_id is not null
    ), claimed as (
      update dispatches set lease_until = now() + ${LEASE}::interval
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
    select c.id, c.tenant_id as "tenantId", c.event_id as "eventId", c.part, c.delivery_ids is not null as again,
      e.event_record as "eventRecord", e.event_type as "eventType",
      string_to_array(e.record_id, ',') as "recordIds", c.created_on as "createdOn",
      coalesce(json_agg(json_build_object('deliveryId', d.id, 'connectionId', d.connection_id))
        filter (where d.state in ('Pending', 'Retrying')), '[]') as deliveries,
      count(d.id) filter (where d.state = 'Held') as held
    from claimed c
    join events e on e.id = c.event_id
    left join deliveries d on d.event_id = c.event_id and d.part = c.part
      and (c.delivery_ids is null or d.id = any (c.delivery_ids))
    group by c.id, c.tenant_id, c.event_id, c.part, c.delivery_ids, c.created_on, e.event_record, e.event_type, e.record_id
    order by c.id`;
}

export async function removeDispatches(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from dispatches where id = any (${ids})`;
}

export async function releaseDispatches(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update dispatches set lease_until = now() + ${RELEASE}::interval where id = any (${ids})`;
}

/** For those whose earlier run is still open: they wait as long again as they have waited, within bounds. */
export async function postponeDispatches(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update dispatches
    set lease_until = now() + least(${LONGEST_POSTPONEMENT}::interval, greatest(${RELEASE}::interval, now() - created_on))
    where id = any (${ids})`;
}

/** Calls `wake` for every committed change, and once on connecting, also after PostgreSQL was away. */
export async function listenForDispatches(sql: Sql, wake: () => void): Promise<() => Promise<void>> {
  const subscription = await sql.listen(DISPATCH_CHANNEL, wake, wake);
  return subscription.unlisten;
}

/** A delivery that is not final and that nobody has touched for a while. */
export interface StaleDelivery {
  tenantId: string;
  eventId: string;
  part: number;
  deliveryIds: string[];
}

/** @param olderThanMs untouched for so long, and with no dispatch waiting */
export async function findStaleDeliveries(sql: Queries, olderThanMs: number, limit: number): Promise<StaleDelivery[]> {
  return sql<StaleDelivery[]>`
    with stale as (
      update deliveries set changed_on = now()
      where id in (
        select d.id from deliveries d
        where d.state in ('Pending', 'Retrying') and d.changed_on < now() - ${olderThanMs} * interval '1 millisecond'
          and not exists (select from dispatches o where o.event_id = d.event_id and o.part = d.part)
        order by d.changed_on limit ${limit} for update skip locked
      )
      returning id, tenant_id, event_id, part
    )
    select tenant_id as "tenantId", event_id as "eventId", part, array_agg(id) as "deliveryIds"
    from stale group by tenant_id, event_id, part`;
}

/** Puts named deliveries back into the outbox. */
export async function insertDispatch(sql: Queries, stale: StaleDelivery): Promise<void> {
  await sql`
    with dispatch as (
      insert into dispatches (tenant_id, event_id, part, delivery_ids)
      values (${stale.tenantId}, ${stale.eventId}, ${stale.part}, ${stale.deliveryIds}::uuid[])
    )
    select pg_notify(${DISPATCH_CHANNEL}, '')`;
}
