import { DELIVERIES_PER_WORKFLOW } from "../../../workflows/contract.ts";
import { uuids } from "../../db/arrays.ts";
import type { Queries } from "../../db/connection.ts";

/** What a smallint holds; the parts of an event are numbered by one. */
const LAST_PART = 32_767;

export async function markSlow(sql: Queries, tenantId: string, connectionId: string, forMs: number): Promise<void> {
  await sql`
    insert into slow_receivers (connection_id, tenant_id, until)
    values (${connectionId}, ${tenantId}, now() + ${forMs} * interval '1 millisecond')
    on conflict (connection_id) do update set until = excluded.until`;
}

export async function unmarkSlow(sql: Queries, tenantId: string, connectionId: string): Promise<void> {
  await sql`delete from slow_receivers where connection_id = ${connectionId} and tenant_id = ${tenantId}`;
}

/** Lets dispatches of one delivery each wait for its receiver's turn. */
export async function parkDispatches(sql: Queries, dispatches: { id: number; connectionId: string }[]): Promise<void> {
  if (dispatches.length === 0) return;
  await sql`
    update dispatches d set connection_id = parked.connection_id, lease_until = '-infinity'
    from unnest(${dispatches.map(({ id }) => id)}::bigint[],
      ${dispatches.map(({ connectionId }) => connectionId)}::uuid[]) as parked (id, connection_id)
    where d.id = parked.id`;
}

/**
 * Gives each of these deliveries a part of its event to itself, which waits for its receiver's turn. Its number follows
 * from the delivery's place among the event's, so that nobody else can take it.
 *
 * @returns the ids of those that have one now
 */
export async function splitOff(sql: Queries, deliveryIds: string[]): Promise<string[]> {
  if (deliveryIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    with free as (
      -- Of what somebody else is at, a post may be out already.
      select id from deliveries
      where id = any (${uuids(sql, deliveryIds)}) and state = 'Pending' and attempts = 0
      order by id for update skip locked
    ), place as (
      select id, (1 + (count(*) over event - 1) / ${DELIVERIES_PER_WORKFLOW}::int
        + row_number() over (event order by id))::int as part
      from deliveries
      where event_id in (select event_id from deliveries where id = any (${uuids(sql, deliveryIds)}))
      window event as (partition by event_id)
    ), moved as (
      update deliveries d set part = place.part from place join free using (id)
      where d.id = place.id and place.part <= ${LAST_PART}
      returning d.id, d.tenant_id, d.event_id, d.part, d.connection_id
    ), dispatch as (
      insert into dispatches (tenant_id, event_id, part, connection_id)
      select tenant_id, event_id, part, connection_id from moved
    )
    select id from moved`;
  return rows.map(({ id }) => id);
}

/** Ends the turn of a delivery, if it had one. */
export async function endTurn(sql: Queries, tenantId: string, deliveryId: string): Promise<void> {
  await sql`
    delete from dispatches o using deliveries d
    where d.id = ${deliveryId} and d.tenant_id = ${tenantId}
      and o.event_id = d.event_id and o.part = d.part and o.connection_id = d.connection_id
      and o.started_on is not null`;
}

/** Says when the next attempt is due, for a worker that has not seen the last one end. */
export async function writeNextAttempt(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  inMs: number,
): Promise<void> {
  await sql`
    update deliveries set next_attempt_on = now() + ${inMs} * interval '1 millisecond'
    where id = ${deliveryId} and tenant_id = ${tenantId}`;
}

/**
 * Milliseconds until another worker may go on with a delivery: until the next attempt is due, or the one that is out
 * must have ended.
 *
 * @param timeoutMs what a post may take, unless its connection says otherwise
 * @param graceMs for its recording
 */
export async function readWait(
  sql: Queries,
  tenantId: string,
  deliveryId: string,
  timeoutMs: number,
  graceMs: number,
): Promise<number> {
  const [row] = await sql<{ wait: number }[]>`
    select 1000 * extract(epoch from greatest(d.next_attempt_on, d.attempt_started_on
      + (coalesce(c.timeout_ms, ${timeoutMs}) + ${graceMs}) * interval '1 millisecond') - now())::float8 as wait
    from deliveries d join webhook_connections c on c.id = d.connection_id
    where d.id = ${deliveryId} and d.tenant_id = ${tenantId} and d.state in ('Pending', 'Retrying')`;
  return Math.max(0, Math.ceil(row?.wait ?? 0));
}
