// State that the API cannot create in time or at all, and stored data that it does not say.

import { connect, type Sql } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import type { Api } from "./api.ts";
import { db, shared } from "./tenant.ts";

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

/** Many events with deliveries and attempts. The events' ids contain their times, as in the product. */
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

/** Makes the next attempts of a tenant's deliveries due in PostgreSQL; the timers of their workflows are unchanged. */
export async function makeDue(api: Api, { databaseUrl } = shared() as { databaseUrl: string }): Promise<void> {
  const sql = connect(databaseUrl, "gatehouse test", 1);
  await sql`update deliveries set retry_on = now() where tenant_id = ${api.tenant.tenantId} and state = 'Retrying'`;
  await sql.end();
}

interface LoggedChange {
  type: string;
  recordId: string;
  sequences: number[];
  data: unknown;
}

/** The tenant's events from the outbox, oldest first. */
export async function eventsOf(tenantId: string): Promise<LoggedChange[]> {
  return (await payloadsOf(tenantId)).map(({ recordId, sequences, payload }) => ({
    type: payload.EventType as string,
    recordId,
    sequences,
    data: payload.Data,
  }));
}

/** The complete payloads of the same events. */
export async function payloadsOf(tenantId: string) {
  const rows = await db()<{ recordId: string; sequences: number[]; payload: string }[]>`
    select record_id as "recordId", sequences, payload from events join payloads on event_id = id
    where tenant_id = ${tenantId} order by id`;
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as Record<string, unknown> }));
}

interface Entry {
  kind?: string;
  outcome?: "Success" | "Failure";
  userAgent?: string;
  userId?: string;
  details?: object;
  /** Its age, such as "10 minutes". */
  ago?: string;
}

/** Entries of the audit log. */
export async function plantEntries(tenantId: string, count: number, entry: Entry = {}, sql: Sql = db()): Promise<void> {
  const {
    kind = "SignOut",
    outcome = "Success",
    userAgent = "",
    userId = null,
    details = {},
    ago = "0 seconds",
  } = entry;
  await sql`
    insert into audit_log (tenant_id, id, occurred_on, kind, outcome, address, user_agent, subject_type, subject_id, details,
      request_key)
    select ${tenantId}, uuidv7(-${ago}::interval), now() - ${ago}::interval, ${kind}, ${outcome}, '127.0.0.1', ${userAgent},
      ${userId && "User"}, ${userId}::text, ${sql.json(details as never)}, 'test' from generate_series(1, ${count}::int)`;
}

/** An alert, which only the service can raise. It ends one without a cause, unless it has ended. */
export async function plantAlert(tenantId: string, alert: Values = {}, sql: Sql = db()): Promise<string> {
  const id = Bun.randomUUIDv7();
  const all = { id, tenant_id: tenantId, kind: "FailedSignIns", reason: "as a test says", ...alert };
  await sql`insert into alerts ${sql(all)}`;
  return id;
}

export async function plantMail(tenantId: string, sql: Sql = db()): Promise<string> {
  const id = Bun.randomUUIDv7();
  await sql`
    insert into mails (id, tenant_id, kind, recipient, state, reason, ended_on)
    values (${id}, ${tenantId}, 'Test', 'ana@mail.test', 'Failed', 'as a test says', now())`;
  return id;
}

type Values = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the columns of any table
type Any = any;

/** Rows with these values. */
export async function rowsOf<Row extends object = Any>(table: string, where: Values): Promise<Row[]> {
  return db()<Row[]>`select * from ${db()(table)} where ${those(where)}`;
}

export async function setRows(table: string, where: Values, values: Values): Promise<void> {
  await db()`update ${db()(table)} set ${db()(values)} where ${those(where)}`;
}

export async function removeRows(table: string, where: Values): Promise<void> {
  await db()`delete from ${db()(table)} where ${those(where)}`;
}

/** Simulates elapsed time, such as "2 hours", for a column of these rows. */
export async function elapse(time: string, table: string, where: Values, column = "expires_on"): Promise<void> {
  await db()`update ${db()(table)} set ${db()(column)} = ${db()(column)} - ${time}::interval where ${those(where)}`;
}

/** Sets a column of these rows to the current time, or to one before it. */
export async function expire(table: string, where: Values, column = "expires_on", ago = "0 seconds"): Promise<void> {
  await db()`update ${db()(table)} set ${db()(column)} = now() - ${ago}::interval where ${those(where)}`;
}

function those(where: Values) {
  return Object.entries(where).map(
    ([column, value], index) => db()`${index > 0 ? db()`and` : db()``} ${db()(column)} = ${value as never}`,
  );
}
