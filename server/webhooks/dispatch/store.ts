// The outbox: claimed by lease, removed once its workflow is started.

import type { DeliveryToMake } from "../../../workflows/contract.ts";
import type { Queries, Sql } from "../../db/connection.ts";
import { listen } from "../../db/listen.ts";
import { DISPATCH_CHANNEL } from "../events/store.ts";
import type { Turns } from "../lanes/turns.ts";

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
  traceParent: string | null;
  deliveries: DeliveryToMake[];
  /** Deliveries that are recorded and wait for their connection. */
  held: number;
  /** Set if a slow receiver has a turn for it; "again" if nobody has told in time that the first was over. */
  turn: "first" | "again" | null;
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
      (select tenant_id from dispatches where connection_id is null order by tenant_id limit 1)
      union all
      select (
        select d.tenant_id from dispatches d
        where d.connection_id is null and d.tenant_id > w.tenant_id order by d.tenant_id limit 1
      )
      from waiting w where w.tenant_id is not null
    ), claimed as (
      update dispatches set lease_until = now() + ${LEASE}::interval
      where id in (
        select next.id from waiting w, lateral (
          select id from dispatches d
          where d.connection_id is null and d.tenant_id = w.tenant_id and d.lease_until < now()
          order by d.id limit ${share} for update skip locked
        ) next
        where w.tenant_id <> all (${fullTenants}::uuid[])
        order by random() limit ${limit}
      )
      returning *, null as turn
    )
    ${readClaimed(sql)}`;
}

/**
 * Leases dispatches that wait for slow receivers, for each receiver as many as it has turns left, the oldest first. A
 * turn lasts until its post has ended, whichever process makes it.
 *
 * @param leaseMs after which a turn is over though nobody has told the end of its post
 */
export async function claimTurns(
  sql: Queries,
  { atFirst, known }: Pick<Turns, "atFirst" | "known">,
  limit: number,
  leaseMs: number,
): Promise<Dispatch[]> {
  return sql<Dispatch[]>`
    with recursive waiting (connection_id) as (
      (select connection_id from dispatches where connection_id is not null order by connection_id limit 1)
      union all
      select (
        select d.connection_id from dispatches d
        where d.connection_id > w.connection_id order by d.connection_id limit 1
      )
      from waiting w where w.connection_id is not null
    ), receiver as (
      select w.connection_id, coalesce(known.turns, ${atFirst}::int) as turns
      from waiting w
      left join unnest(${[...known.keys()]}::uuid[], ${[...known.values()]}::int[]) as known (connection_id, turns)
        using (connection_id)
      where w.connection_id is not null
    ), oldest as (
      -- Turns are given to the oldest that are not postponed, and what waits behind is not counted every time.
      select r.turns, first.*
      from receiver r, lateral (
        select id, connection_id, lease_until < now() as free, started_on is not null as started from dispatches d
        where d.connection_id = r.connection_id and (d.lease_until < now() or d.started_on is not null)
        order by d.id limit 2 * r.turns for update skip locked
      ) first
    ), ranked as (
      select id, free, started, turns,
        count(*) filter (where started and not free) over (partition by connection_id)
          + row_number() over (partition by connection_id, free order by id) as turn
      from oldest
    ), claimed as (
      update dispatches d set lease_until = now() + ${leaseMs} * interval '1 millisecond', started_on = now()
      from ranked
      where d.id = ranked.id and ranked.id in (
        select id from ranked where free and turn <= turns order by turn limit ${limit}
      )
      returning d.*, case when ranked.started then 'again' else 'first' end as turn
    )
    ${readClaimed(sql)}`;
}

const readClaimed = (sql: Queries) => sql`
    select c.id, c.tenant_id as "tenantId", c.event_id as "eventId", c.part, c.delivery_ids is not null as again,
      c.turn, e.event_record as "eventRecord", e.event_type as "eventType",
      string_to_array(e.record_id, ',') as "recordIds", c.created_on as "createdOn",
      e.trace_parent as "traceParent",
      coalesce(json_agg(json_strip_nulls(json_build_object(
        'deliveryId', d.id, 'connectionId', d.connection_id,
        'lane', case when c.connection_id is not null or s.connection_id is not null then 'slow' end
      ))) filter (where d.state in ('Pending', 'Retrying')), '[]') as deliveries,
      count(d.id) filter (where d.state = 'Held') as held
    from claimed c
    join events e on e.id = c.event_id
    left join deliveries d on d.event_id = c.event_id and d.part = c.part
      and (c.delivery_ids is null or d.id = any (c.delivery_ids))
    left join slow_receivers s on s.connection_id = d.connection_id and s.until > now()
    group by c.id, c.tenant_id, c.event_id, c.part, c.delivery_ids, c.turn, c.connection_id, c.created_on, e.event_record,
      e.event_type, e.record_id, e.trace_parent
    order by c.id`;

export async function removeDispatches(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from dispatches where id = any (${ids})`;
}

export async function releaseDispatches(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update dispatches set lease_until = now() + ${RELEASE}::interval, started_on = null where id = any (${ids})`;
}

/** For those whose earlier run is still open: they wait as long again as they have waited, within bounds. */
export async function postponeDispatches(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update dispatches set started_on = null,
      lease_until = now() + least(${LONGEST_POSTPONEMENT}::interval, greatest(${RELEASE}::interval, now() - created_on))
    where id = any (${ids})`;
}

/** Calls `wake` for every committed change, and once on connecting, also after PostgreSQL was away. */
export function listenForDispatches(sql: Sql, wake: () => void): () => Promise<void> {
  return listen(sql, DISPATCH_CHANNEL, wake);
}

/** Of what the worker that hears of changes has no room for. */
const HANDED_ON_CHANNEL = "gatehouse_handed_on";
/** Any constant of our own that no other lock has. */
const FIRST_LISTENER_LOCK = 7_203_430;

/** Calls `wake` for what is handed on, and once on connecting. */
export function listenForHandedOn(sql: Sql, wake: () => void): () => Promise<void> {
  return listen(sql, HANDED_ON_CHANNEL, wake);
}

export async function handOnDispatches(sql: Queries): Promise<void> {
  await sql`select pg_notify(${HANDED_ON_CHANNEL}, '')`;
}

/** @param session a pool of one connection: the first that asks is it until its session ends */
export async function isFirstListener(session: Sql): Promise<boolean> {
  const [row] = await session<{ first: boolean }[]>`
    select case
      when exists (
        select from pg_locks
        where locktype = 'advisory' and pid = pg_backend_pid() and objid = ${FIRST_LISTENER_LOCK}
      ) then true
      else pg_try_advisory_lock(${FIRST_LISTENER_LOCK})
    end as first`;
  return row!.first;
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
          and (d.attempt_started_on < now() - ${olderThanMs} * interval '1 millisecond') is not false
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
