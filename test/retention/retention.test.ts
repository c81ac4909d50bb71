// Retention on a separate database.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { migrate } from "../../server/db/migrate.ts";
import { newMasterKey } from "../../server/embedded/data-directory.ts";
import type { TenantId } from "../../server/ids.ts";
import { createLog } from "../../server/log.ts";
import { removeExpiredLogs } from "../../server/retention/index.ts";
import { createTenant } from "../../server/tenants/index.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { scrape, sum } from "../metrics/scrape.ts";
import { type Api, signIn } from "../support/api.ts";
import { type EmptyDatabase, newEmptyDatabase } from "../support/empty-database.ts";
import { fill } from "../support/fill.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";

const DAY_MS = 86_400_000;
const DAYS = 12;
const KEPT = { log: 10 * DAY_MS, payloads: 4 * DAY_MS, audit: 400 * DAY_MS };
const METRICS_TOKEN = "a token of the test";
const log = createLog("silent", "worker");

let database: EmptyDatabase;
let process: StartedProcess;
let url: string;

beforeAll(async () => {
  database = await newEmptyDatabase();
  await migrate(database.url);
  process = startProcess("server/serve.ts", {
    DATABASE_URL: database.url,
    MASTER_KEY: newMasterKey(),
    PORT: "0",
    METRICS_TOKEN: METRICS_TOKEN.replaceAll(" ", "-"),
  });
  url = `http://127.0.0.1:${(await process.said((message) => message === "api ready")).port}`;
}, 120_000);

afterAll(async () => {
  await process?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

async function newTenant(): Promise<Api> {
  return signIn(url, await createTenant(database.sql, Bun.randomUUIDv7(), { password: "x", hash: "x" }));
}

/** 10 changes a day, each to one connection. The oldest is DAYS old and has this state. */
async function withHistory(api: Api, oldest: DeliveryState = "Delivered"): Promise<string> {
  const { Id } = await api.connect("https://receiver.example/", { State: "Paused" });
  await fill(database.sql, {
    tenantId: api.tenantId as TenantId,
    connectionIds: [Id],
    events: 10 * DAYS,
    spanMs: DAYS * DAY_MS,
    stateOf: (number) => (number === 0 ? oldest : "Delivered"),
  });
  return Id;
}

const remove = () => removeExpiredLogs(database.sql, KEPT, log, new Date(Date.now() + 60_000));

async function countOf(table: string, { tenantId }: Api): Promise<number> {
  const { sql } = database;
  const key = table === "events" ? "id" : "event_id";
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from ${sql(table)}
    where ${sql(key)} in (select id from events where tenant_id = ${tenantId})`;
  return row!.count;
}

async function ageOf(what: "events" | "payloads", { tenantId }: Api): Promise<number> {
  const { sql } = database;
  const [row] = await sql<{ oldest: Date }[]>`
    select min(occurred_on) as oldest from events
    where tenant_id = ${tenantId}
      and ${what === "events" ? sql`true` : sql`exists (select from payloads p where p.event_id = id)`}`;
  return (Date.now() - row!.oldest.getTime()) / DAY_MS;
}

test("partitions are dropped whole after their time, payloads and answers before the log", async () => {
  const api = await newTenant();
  const connectionId = await withHistory(api);
  const { partitions } = await remove();
  expect(partitions).toBeGreaterThan(6);
  // Up to a day longer, because a partition is a day.
  for (const [what, days] of [
    ["events", 10],
    ["payloads", 4],
  ] as const) {
    const age = await ageOf(what, api);
    expect({ what, isRight: age > days - 1 && age < days + 1 }).toEqual({ what, isRight: true });
  }
  expect(await countOf("attempts", api)).toBe(await countOf("events", api));
  expect(await countOf("responses", api)).toBe(await countOf("payloads", api));

  const { Items } = await api.events("Limit=200");
  expect(Items).toHaveLength(await countOf("events", api));
  const [newest, oldest] = [await api.event(Items[0]!.EventId), await api.event(Items.at(-1)!.EventId)];
  expect(newest).toMatchObject({ Payload: { EventId: newest.EventId }, PayloadRemovedOn: null });
  expect(oldest).toMatchObject({ Payload: null, PayloadRemovedOn: expect.any(String), State: "Delivered" });
  expect(oldest.Deliveries[0]!.Attempts).toMatchObject([{ StatusCode: 200, Response: null }]);
  expect(await api.redeliver(oldest.EventId)).toMatchObject({
    status: 409,
    body: {
      Errors: [
        expect.stringMatching(/^The payload of this event was removed on \d{4}-\d\d-\d\d, after PAYLOAD_RETENTION/),
      ],
    },
  });
  const wish = { ConnectionId: connectionId, States: ["Delivered"], From: "2020-01-01", DryRun: true };
  const [events, payloads] = [await countOf("events", api), await countOf("payloads", api)];
  expect((await api.call("POST", "/Redelivery", wish)).body).toEqual({ Count: payloads, Skipped: events - payloads });
  expect(await api.replay({ ConnectionId: connectionId, States: ["Delivered"] })).toMatchObject({
    Total: payloads,
    Skipped: events - payloads,
  });
}, 120_000);

test("an open delivery keeps its change and its payload; the rest of its day is removed", async () => {
  const api = await newTenant();
  await withHistory(api, "Held");
  expect((await remove()).closed_events).toBeGreaterThan(0);
  const { Items } = await api.events("State=Held");
  expect(Items).toHaveLength(1);
  const open = await api.event(Items[0]!.EventId);
  expect(open).toMatchObject({ State: "Held", Payload: { EventId: open.EventId } });
  const { Items: all } = await api.events("Limit=200");
  const old = all.filter(({ Timestamp }) => Date.now() - Date.parse(Timestamp) > 11 * DAY_MS);
  expect(old.map(({ EventId }) => EventId)).toEqual([open.EventId]);
  expect(await remove()).toEqual({ partitions: 0, partitions_busy: 0, closed_events: 0 });
}, 120_000);

test("a tenant keeps its log for fewer days than the installation, never for more", async () => {
  const [api, other] = await Promise.all([newTenant(), newTenant()]);
  await Promise.all([withHistory(api), withHistory(other)]);
  expect(await api.patch("/TenantSettings", { RetentionDays: 2 })).toMatchObject({
    status: 200,
    body: { RetentionDays: 2 },
  });
  expect(await api.patch("/TenantSettings", { RetentionDays: 31 })).toMatchObject({
    status: 400,
    body: { Errors: ["RetentionDays must be at most 30, the installation's retention."] },
  });
  await remove();
  expect(await ageOf("events", api)).toBeLessThan(2);
  expect(await countOf("deliveries", api)).toBe(await countOf("events", api));
  expect(await ageOf("events", other)).toBeGreaterThan(9);
}, 120_000);

test("a change, a sign-in and an audit entry without a partition make it, and say so", async () => {
  const api = await newTenant();
  const { sql } = database;
  const names = await sql<{ name: string }[]>`
    select relname as name from pg_class join pg_inherits on inhrelid = pg_class.oid
    where relkind = 'r' and right(relname, 8) >= to_char(now() at time zone 'UTC', 'YYYYMM01') and relispartition
      and relname ~ '_20[0-9]{6}$'
      and (relname ~ '^audit_log' or right(relname, 8) >= to_char(now() at time zone 'UTC', 'YYYYMMDD'))`;
  for (const { name } of names) await sql`drop table ${sql(name)}`;
  const missed = async () =>
    sum(await scrape(`${url}/metrics`, METRICS_TOKEN.replaceAll(" ", "-")), "gatehouse_partitions_missed_total");
  const before = await missed();
  await Promise.all([1, 2, 3].map((number) => api.change({ Name: `Gate ${number}` })));
  expect((await api.events()).Items).toHaveLength(3);
  expect(await api.call("POST", "/Role", { Name: "clerks" })).toMatchObject({ status: 200 });
  expect((await missed()) - before).toBeGreaterThanOrEqual(3);
  await process.said((message) => message.startsWith("a partition was missing"));
}, 120_000);

test("a row that moves while others wait for it makes none of them fail", async () => {
  const api = await newTenant();
  const connectionId = await withHistory(api, "Held");
  const { sql } = database;
  // One transaction moves the held delivery and back, while others lock and change it.
  const [held] = await sql<{ id: string; eventId: string }[]>`
    select id, event_id as "eventId" from deliveries where connection_id = ${connectionId} and state = 'Held'`;
  const move = (from: string, to: string) =>
    sql.begin(
      (tx) => tx`
      update deliveries set state = ${to} where event_id = ${held!.eventId} and id = ${held!.id} and state = ${from}`,
    );
  const races = Array.from({ length: 200 }, async (_, number) => {
    await move("Held", "Cancelled");
    await move("Cancelled", "Held");
    return number;
  });
  expect((await Promise.all(races)).length).toBe(200);
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from deliveries where event_id = ${held!.eventId} and id = ${held!.id}`;
  expect(row!.count).toBe(1);
}, 120_000);
