// Many events with deliveries and attempts, inserted directly, because creating them would take too long.

import type { Sql } from "../../server/db/sql.ts";
import type { TenantId } from "../../server/ids.ts";
import type { DeliveryState } from "../../workflows/contract.ts";

export interface Filling {
  tenantId: TenantId;
  /** The connections of each event. */
  connectionIds: string[];
  events: number;
  /** Time between the oldest event and the newest, which is current. */
  spanMs: number;
  /** The state of the nth event's deliveries; default: Delivered. */
  stateOf?: (event: number) => DeliveryState;
}

/** Rows of one statement. */
const BATCH = 5_000;

/** The events' ids contain their times, as in the product. */
export async function fill(sql: Sql, { tenantId, connectionIds, events, spanMs, stateOf }: Filling): Promise<void> {
  const now = Date.now();
  for (let first = 0; first < events; first += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, events - first) }, (_, index) => {
      const number = first + index;
      const at = new Date(now - spanMs + (spanMs * number) / events);
      return { id: Bun.randomUUIDv7("hex", at), at, number, state: stateOf?.(number) ?? "Delivered" };
    });
    await sql`select count(*) from make_partitions(array['events', 'payloads', 'deliveries_closed', 'attempts', 'responses',
      'former_outcomes'], ${rows[0]!.at}, ${rows.at(-1)!.at})`;
    await sql`
      with event as (
        insert into events (id, tenant_id, event_record, event_type, record_id, occurred_on, recorded_on)
        select id, ${tenantId}, 'Application', 'Updated', number, at, at
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at.toISOString())}::timestamptz[],
          ${rows.map(({ number }) => String(number + 1001))}::text[]) as e (id, at, number)
        returning id, position
      ), payload as (
        insert into payloads (event_id, payload)
        select id, json_build_object('TenantId', ${tenantId}::text, 'EventType', 'Updated', 'EventId', id, 'Version', '1.0',
            'Timestamp', at, 'EventRecord', 'Application', 'EventResponse', 'Object',
            'Data', json_build_object('Id', number, 'Name', 'Application ' || number, 'Description', repeat('x', 200)))::text
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at.toISOString())}::timestamptz[],
          ${rows.map(({ number }) => String(number + 1001))}::text[]) as e (id, at, number)
      ), delivery as (
        insert into deliveries (id, tenant_id, event_id, connection_id, position, part, state, attempts, changed_on)
        select gen_random_uuid(), ${tenantId}, e.id, c.id, event.position, 1, e.state,
          case e.state when 'Exhausted' then 3 when 'Delivered' then 1 when 'Retrying' then 1 else 0 end, e.at
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at.toISOString())}::timestamptz[],
          ${rows.map(({ state }) => state)}::text[]) as e (id, at, state) join event using (id),
          unnest(${connectionIds}::uuid[]) as c (id)
        returning event_id, id, connection_id, state, attempts, changed_on
      ), attempt as (
        insert into attempts (event_id, delivery_id, number, started_on, duration_ms, status_code, failed_to)
        select d.event_id, d.id, number, d.changed_on + number * interval '10 seconds', 25,
          case d.state when 'Delivered' then 200 else 503 end, case when d.state <> 'Delivered' then d.connection_id end
        from delivery d, generate_series(1, d.attempts) as number
        returning event_id, delivery_id, number
      )
      insert into responses (event_id, delivery_id, number, headers, body)
      select event_id, delivery_id, number, 'content-type: text/plain', 'Thank you.' from attempt`;
  }
  // As autovacuum does after a while.
  await sql`vacuum analyze events, payloads, deliveries, attempts, responses`;
}

/** Later changes of an event's record, each with its own delivery in its connection's queue. */
export async function pileUp(sql: Sql, eventId: string, changes: number): Promise<void> {
  await sql`
    with event as (
      insert into events (id, tenant_id, event_record, event_type, record_id, sequences, occurred_on)
      select uuidv7(), tenant_id, event_record, event_type, record_id, array[sequences[1] + number], now()
      from events, generate_series(1, ${changes}::int) as number where id = ${eventId}
      returning id, position
    ), payload as (
      insert into payloads select event.id, payload from event, payloads where event_id = ${eventId}
    )
    insert into deliveries (id, tenant_id, event_id, connection_id, position, record, part, state, due_on)
    select gen_random_uuid(), d.tenant_id, event.id, d.connection_id, event.position, d.record, 1, 'Pending', now()
    from deliveries d, event where d.event_id = ${eventId}`;
}
