// State that the API cannot create in time or at all, and stored data that it does not say.

import { connect, type Queries, type Sql } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import type { Api } from "./api.ts";
import { makePartitions } from "./postgresql.ts";
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
  /** The nth event; default: a record of its own is Updated. */
  changeOf?: (event: number) => { type?: string; records?: string };
}

/** Rows of one statement. */
const BATCH = 5_000;

/** Many events with deliveries and attempts. The events' ids contain their times, as in the product. */
export async function fill(
  sql: Sql,
  { tenantId, connectionIds, events, spanMs, stateOf, changeOf }: Filling,
): Promise<void> {
  const now = Date.now();
  for (let first = 0; first < events; first += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, events - first) }, (_, index) => {
      const number = first + index;
      const at = new Date(now - spanMs + (spanMs * number) / events);
      const { type = "Updated", records = String(number + 1_001) } = changeOf?.(number) ?? {};
      return { id: Bun.randomUUIDv7("hex", at), at, number, type, records, state: stateOf?.(number) ?? "Delivered" };
    });
    await makePartitions(
      ["events", "payloads", "deliveries_closed", "attempts", "responses", "former_outcomes"],
      rows[0]!.at,
      rows.at(-1)!.at,
      sql,
    );
    await sql`
      with event as (
        insert into events (id, tenant_id, event_record, event_type, record_id, occurred_on, recorded_on)
        select id, ${tenantId}, 'Application', type, records, at, at
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at.toISOString())}::timestamptz[],
          ${rows.map(({ type }) => type)}::text[], ${rows.map(({ records }) => records)}::text[]) as e (id, at, type, records)
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
  await expire("deliveries", { tenant_id: api.tenant.tenantId, state: "Retrying" }, "retry_on", "0 seconds", sql);
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

export interface LoggedPayload {
  recordId: string;
  sequences: number[];
  payload: Record<string, unknown>;
}

/** The complete payloads of the same events. */
export async function payloadsOf(tenantId: string): Promise<LoggedPayload[]> {
  const rows = await db()<{ recordId: string; sequences: number[]; payload: string }[]>`
    select record_id as "recordId", sequences, payload from events join payloads on event_id = id
    where tenant_id = ${tenantId} order by id`;
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
}

interface Entry {
  kind?: string;
  outcome?: "Success" | "Failure";
  /** Null: 640 random digits, which compression does not shorten. */
  userAgent?: string | null;
  userId?: string;
  details?: object;
  /** Its age, such as "10 minutes". */
  ago?: string;
}

/** Entries of the audit log, also many thousands. */
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
    select ${tenantId}, uuidv7(-${ago}::interval), now() - ${ago}::interval, ${kind}, ${outcome}, '127.0.0.1',
      coalesce(${userAgent}, (select string_agg(md5((entry * part * random())::text), '') from generate_series(1, 20) part)),
      ${userId && "User"}, ${userId}::text, ${sql.json(details as never)}, 'test' from generate_series(1, ${count}::int) entry`;
}

/** An alert, which only the service can raise. It ends one without a cause, unless it has ended. */
export async function plantAlert(tenantId: string, alert: Values = {}, sql: Sql = db()): Promise<string> {
  const id = Bun.randomUUIDv7();
  const all = { id, tenant_id: tenantId, kind: "FailedSignIns", reason: "as a test says", ...alert };
  await addRows("alerts", all, sql);
  return id;
}

export async function plantMail(tenantId: string, sql: Sql = db()): Promise<string> {
  const id = Bun.randomUUIDv7();
  const ended = { state: "Failed", reason: "as a test says", ended_on: new Date().toISOString() };
  await addRows("mails", { id, tenant_id: tenantId, kind: "Test", recipient: "ana@mail.test", ...ended }, sql);
  return id;
}

export type Values = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the columns of any table
type Any = any;

/** Rows with these values: null, one, or any of an array. */
export async function rowsOf<Row extends object = Any>(
  table: string,
  where: Values = {},
  sql: Queries = db(),
): Promise<Row[]> {
  return sql<Row[]>`select * from ${sql(table)} where ${matching(where, sql)}`;
}

/** Of tables whose rows are too many to read. */
export async function countOf(table: string, where: Values = {}, sql: Queries = db()): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) from ${sql(table)} where ${matching(where, sql)}`;
  return row!.count;
}

/** Also many rows at once. Columns that the first row does not have get their defaults. */
export async function addRows<Row extends object = Any>(
  table: string,
  rows: Values | Values[],
  sql: Queries = db(),
): Promise<Row[]> {
  const all = [rows].flat();
  const columns = Object.keys(all[0]!);
  return sql<Row[]>`
    insert into ${sql(table)} (${sql(columns)})
    select ${sql(columns)} from json_populate_recordset(null::${sql(table)}, ${textOf(all)}::text::json) returning *`;
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

export async function setRows(table: string, where: Values, values: Values, sql: Queries = db()): Promise<void> {
  await sql`update ${sql(table)} set ${sql(values)} where ${matching(where, sql)}`;
}

export async function removeRows(table: string, where: Values, sql: Queries = db()): Promise<void> {
  await sql`delete from ${sql(table)} where ${matching(where, sql)}`;
}

/** Simulates elapsed time, such as "2 hours", for columns of these rows. */
export async function elapse(
  time: string,
  table: string,
  where: Values,
  columns: string | string[] = "expires_on",
  sql: Queries = db(),
): Promise<void> {
  const earlier = [columns].flat().map((column) => [column, sql`${sql(column)} - ${time}::interval`]);
  await setRows(table, where, Object.fromEntries(earlier), sql);
}

/** Sets a column of these rows to the current time, or to one before it. */
export async function expire(
  table: string,
  where: Values,
  column = "expires_on",
  ago = "0 seconds",
  sql: Queries = db(),
): Promise<void> {
  await setRows(table, where, { [column]: sql`now() - ${ago}::interval` }, sql);
}

/** All stored values, bytes in hexadecimal digits. */
export async function storedText(table: string, where: Values, sql: Queries = db()): Promise<string> {
  const rows = await rowsOf(table, where, sql);
  if (rows.length === 0) throw new Error(`${table} has no such row.`);
  return textOf(rows);
}

function textOf(rows: Values[]): string {
  const shown = (value: unknown) => (value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value);
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shown(value)]))),
  );
}

/** A condition of a statement. */
export function matching(where: Values, sql: Queries) {
  const all = Object.entries(where).map(([column, value]) => {
    if (value === null) return sql`${sql(column)} is null`;
    if (Array.isArray(value)) return sql`${sql(column)} = any (${value})`;
    return sql`${sql(column)} = ${value as never}`;
  });
  return all.reduce((some, one) => sql`${some} and ${one}`, sql`true`);
}
