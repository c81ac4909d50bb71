// Retention on a separate database.

import { afterAll, expect, setSystemTime, test } from "bun:test";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { removeClosed } from "../../server/data/retention/partitions.store.ts";
import { removeExpiredLogs } from "../../server/data/retention/retention.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { connect } from "../../server/platform/db/sql.ts";
import type { RedeliveryId, TenantId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { followRedelivery } from "../../server/webhooks/redelivery/follow.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { newMigratedDatabase } from "../support/empty-database.ts";
import { blockMarked } from "../support/pages.ts";
import { startProcess } from "../support/process.ts";
import { scrape, sum } from "../support/scrape.ts";
import { type Api, signIn } from "../world/api.ts";
import { holdTable, untilWaiting } from "../world/locks.ts";
import { dropPartition, makePartitions, partitionsOf } from "../world/postgresql.ts";
import { countOf, fill, plantEntries, removeRows, rowsOf, setRows } from "../world/rows.ts";

const DAY_MS = 86_400_000;
const DAYS = 12;
const KEPT = { log: 10 * DAY_MS, payloads: 4 * DAY_MS, audit: 400 * DAY_MS };
const METRICS_TOKEN = "a token of the test";
const log = createLog("silent", "worker");

const database = await newMigratedDatabase();
const process = startProcess("server/serve.ts", {
  DATABASE_URL: database.url,
  MASTER_KEY: newMasterKey(),
  PORT: "0",
  METRICS_TOKEN: METRICS_TOKEN.replaceAll(" ", "-"),
});
const url = `http://127.0.0.1:${(await process.said((message) => message === "api ready")).port}`;

afterAll(async () => {
  await process?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

async function newTenant(): Promise<Api> {
  return signIn(url, await createTenant(database.sql, Bun.randomUUIDv7(), { password: "x", hash: "x" }));
}

const A_DAY = 10;

/** 10 changes a day, each to one connection. The oldest is DAYS old; one of half a day later has this state. */
async function withHistory(api: Api, early: DeliveryState = "Delivered"): Promise<string> {
  const { Id } = await api.connect("https://receiver.example/", { State: "Paused" });
  await fill(database.sql, {
    tenantId: api.tenantId as TenantId,
    connectionIds: [Id],
    events: A_DAY * DAYS,
    spanMs: DAYS * DAY_MS,
    // At each time of the day, its UTC day has others.
    stateOf: (number) => (number === A_DAY / 2 ? early : "Delivered"),
  });
  return Id;
}

const remove = () => removeExpiredLogs(database.sql, KEPT, log, new Date(Date.now() + 60_000));

const namesOf = (all: { name: string }[]) => all.map(({ name }) => name);

const idsOf = async ({ tenantId }: Api) =>
  (await rowsOf<{ id: string }>("events", { tenant_id: tenantId }, database.sql)).map(({ id }) => id);

async function rowsWithin(table: string, api: Api): Promise<number> {
  return countOf(table, { [table === "events" ? "id" : "event_id"]: await idsOf(api) }, database.sql);
}

/** Of the oldest event, or of the oldest with a payload, in days. */
async function ageOf(what: "events" | "payloads", api: Api): Promise<number> {
  const payloads = await rowsOf<{ event_id: string }>("payloads", { event_id: await idsOf(api) }, database.sql);
  const of = what === "events" ? { tenant_id: api.tenantId } : { id: payloads.map(({ event_id }) => event_id) };
  const events = await rowsOf<{ occurred_on: Date }>("events", of, database.sql);
  return (Date.now() - Math.min(...events.map(({ occurred_on }) => +occurred_on))) / DAY_MS;
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
  expect(await rowsWithin("attempts", api)).toBe(await rowsWithin("events", api));
  expect(await rowsWithin("responses", api)).toBe(await rowsWithin("payloads", api));

  const { Items } = await api.events("Limit=200");
  expect(Items).toHaveLength(await rowsWithin("events", api));
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
  const [events, payloads] = [await rowsWithin("events", api), await rowsWithin("payloads", api)];
  expect((await api.call("POST", "/Redelivery", wish)).body).toEqual({ Count: payloads, Skipped: events - payloads });
  expect(await api.replay({ ConnectionId: connectionId, States: ["Delivered"] })).toMatchObject({
    Total: payloads,
    Skipped: events - payloads,
  });
});

test("payloads removed while a replay runs are counted as skipped", async () => {
  const api = await newTenant();
  const connectionId = await withHistory(api);
  const { sql } = database;
  const { Id, Total, Skipped } = await api.replay({ ConnectionId: connectionId, States: ["Delivered"] });
  expect({ Total, Skipped }).toEqual({ Total: await rowsWithin("payloads", api), Skipped: 0 });
  await remove();
  const left = await rowsWithin("payloads", api);
  expect(left).toBeLessThan(Total);
  const follow = () => followRedelivery(sql, api.tenantId as TenantId, Id as RedeliveryId, () => false);
  await follow();
  expect(await api.redelivery(Id)).toMatchObject({ Total: left, Skipped: Total - left, State: "Running" });
  // Also those of events that were removed whole, such as after RetentionDays.
  const [newest] = (await api.events("Limit=1")).Items;
  const others = (await idsOf(api)).filter((id) => id !== newest!.EventId);
  for (const table of ["payloads", "deliveries"]) await removeRows(table, { event_id: others }, sql);
  await follow();
  expect(await api.redelivery(Id)).toMatchObject({ Total: 1, Skipped: Total - 1, Done: 0 });
});

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
});

test("a tenant keeps its log for fewer days than the installation, never for more", async () => {
  const [api, other] = await Promise.all([newTenant(), newTenant()]);
  await Promise.all([withHistory(api), withHistory(other)]);
  expect(await api.patch("/TenantSettings", { RetentionDays: 2 })).toMatchObject({
    status: 200,
    body: { RetentionDays: 2 },
  });
  expect(await api.patch("/TenantSettings", { RetentionDays: 31 })).toMatchObject({
    status: 400,
    body: { Errors: ["RetentionDays must be at most 30, the installation's RETENTION."] },
  });
  await setRows("tenants", { id: other.tenantId }, { retention_days: 40 }, database.sql);
  // From before RETENTION was lowered.
  expect(await other.patch("/TenantSettings", { RetentionDays: 40, MaxRecords: 1_000 })).toMatchObject({ status: 200 });
  expect(await other.patch("/TenantSettings", { RetentionDays: 39 })).toMatchObject({ status: 400 });
  await remove();
  expect(await ageOf("events", api)).toBeLessThan(2);
  expect(await rowsWithin("deliveries", api)).toBe(await rowsWithin("events", api));
  expect(await ageOf("events", other)).toBeGreaterThan(9);
});

test("the longest retention, which begins before 1970, removes nothing", async () => {
  const api = await newTenant();
  await withHistory(api);
  const days = 36_500;
  // As with RETENTION=36500d, at most which the API accepts.
  await setRows("tenants", { id: api.tenantId }, { retention_days: days }, database.sql);
  const kept = await rowsWithin("events", api);
  const longest = { log: days * DAY_MS, payloads: days * DAY_MS, audit: days * DAY_MS };
  expect(await removeExpiredLogs(database.sql, longest, log, new Date(Date.now() + 60_000))).toMatchObject({
    closed_events: 0,
  });
  expect(await rowsWithin("events", api)).toBe(kept);
});

test("many held events before the closed ones do not stop the removal of a tenant's shorter retention", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://receiver.example/", { State: "Paused" });
  const [held, closed] = [1_500, 600];
  const tenantId = api.tenantId as TenantId;
  const old = { tenantId, connectionIds: [Id], events: held + closed, spanMs: 9 * DAY_MS };
  await fill(database.sql, { ...old, stateOf: (number) => (number < held ? "Held" : "Delivered") });
  expect(await api.patch("/TenantSettings", { RetentionDays: 1 })).toMatchObject({ status: 200 });
  await remove();
  const left = await rowsOf("deliveries", { tenant_id: tenantId }, database.sql);
  const isOld = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16) < Date.now() - 25 * 3_600_000;
  expect(left.filter(({ state }) => state === "Held")).toHaveLength(held!);
  expect(left.filter(({ state, event_id }) => state !== "Held" && isOld(event_id))).toEqual([]);
});

test("whole months of the audit log are removed after AUDIT_RETENTION", async () => {
  const api = await newTenant();
  const { sql } = database;
  const entry = async (days: number) => {
    const at = new Date(Date.now() - days * DAY_MS);
    await makePartitions(["audit_log"], at, at, sql);
    await plantEntries(api.tenantId, 1, { ago: `${days} days` }, sql);
  };
  // A month that ended 400 days ago began up to 431 days ago.
  for (const days of [300, 365, 432, 470]) await entry(days);
  const ages = async () => {
    const { body } = await api.get("/AuditEvent?Kind=SignOut");
    return body.Items.map(({ OccurredOn }: { OccurredOn: string }) =>
      Math.round((Date.now() - Date.parse(OccurredOn)) / DAY_MS),
    );
  };
  expect(await ages()).toEqual([300, 365, 432, 470]);
  await remove();
  expect(await ages()).toEqual([300, 365]);
});

test("only a role that may delete drops a partition, a day after its end, and by PostgreSQL's clock", async () => {
  const { sql } = database;
  const drop = (queries: typeof sql, days: number) => dropPartition("events", `${days} days`, queries);
  for (const days of [-1, 0, 1]) {
    await expect(drop(sql, days)).rejects.toMatchObject({
      code: "55000",
      message: expect.stringContaining("24 hours"),
    });
  }
  // A worker with a wrong clock removes nothing too early.
  const partitions = () =>
    Promise.all(["events", "payloads", "audit_log"].map(async (table) => namesOf(await partitionsOf(table, sql))));
  await remove();
  const before = await partitions();
  setSystemTime(new Date(Date.now() + 400 * DAY_MS));
  expect(await remove()).toMatchObject({ partitions: 0, closed_events: 0 });
  setSystemTime();
  expect(await partitions()).toEqual(before);

  const role = await database.asReader();
  const { username } = new URL(role);
  const worker = connect(role, "gatehouse test", 1);
  await expect(drop(worker, 30)).rejects.toMatchObject({ code: "42501" });
  await sql.unsafe(blockMarked("run: drop").text.replace("app_role", username));
  expect([...(await drop(worker, 30))]).toHaveLength(1);
  await worker.end();
});

test("after its deadline a run drops nothing; the next one continues", async () => {
  const api = await newTenant();
  await withHistory(api);
  expect(await removeExpiredLogs(database.sql, KEPT, log, new Date(Date.now() - 1))).toEqual({
    ...{ partitions: 0, partitions_busy: 0, closed_events: 0 },
  });
  expect((await remove()).partitions).toBeGreaterThan(0);
});

test("a change, a sign-in and an audit entry without a partition make it, and say so", async () => {
  const api = await newTenant();
  const { sql } = database;
  const today = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  for (const { relname: name } of await rowsOf("pg_class", { relkind: "r", relispartition: true }, sql)) {
    const day = /_(20\d{6})$/.exec(name)?.[1];
    const since = name.startsWith("audit_log") ? `${today.slice(0, 6)}01` : today;
    // The product's own function drops no partition of today.
    if (day && day >= since) await sql`drop table ${sql(name)}`;
  }
  const missed = async () =>
    sum(await scrape(`${url}/metrics`, METRICS_TOKEN.replaceAll(" ", "-")), "gatehouse_partitions_missed_total");
  const before = await missed();
  await Promise.all([1, 2, 3].map((number) => api.change({ Name: `Gate ${number}` })));
  expect((await api.events()).Items).toHaveLength(3);
  expect(await api.call("POST", "/Role", { Name: "clerks" })).toMatchObject({ status: 200 });
  expect((await missed()) - before).toBeGreaterThanOrEqual(3);
  await process.said((message) => message.startsWith("a partition was missing"));
});

test("a redelivery that has begun keeps its change; a removal at the same time removes the others", async () => {
  const api = await newTenant();
  await withHistory(api);
  const [kept, other] = (await api.events("Limit=2")).Items.map(({ EventId }) => EventId);
  // The redelivery waits for this lock after it has opened its delivery.
  const sql = connect(database.url, "gatehouse test", 2);
  await using _ = { [Symbol.asyncDispose]: () => sql.end() };
  const { release } = await holdTable("audit_log", "share", sql);
  const redelivery = api.redeliver(kept!);
  await untilWaiting(1, ["insert into audit_log"], sql);
  const removed = removeClosed(database.sql, [kept!, other!], "events");
  await untilWaiting(1, ["from deliveries", 'from "deliveries"'], sql);
  await release();
  expect((await redelivery).status).toBe(200);
  await removed;
  expect(await api.event(kept!)).toMatchObject({ State: "Held", Payload: { EventId: kept } });
  expect((await api.get(`/WebhookEvent/${other}`)).status).toBe(404);
});

test("a row that moves while others wait for it makes none of them fail", async () => {
  const api = await newTenant();
  const connectionId = await withHistory(api, "Held");
  const { sql } = database;
  // One transaction moves the held delivery and back, while others lock and change it.
  const [held] = await rowsOf("deliveries", { connection_id: connectionId, state: "Held" }, sql);
  const own = { event_id: held.event_id, id: held.id };
  const move = (from: string, to: string) =>
    sql.begin((tx) => setRows("deliveries", { ...own, state: from }, { state: to }, tx));
  const races = Array.from({ length: 200 }, async (_, number) => {
    await move("Held", "Cancelled");
    await move("Cancelled", "Held");
    return number;
  });
  expect((await Promise.all(races)).length).toBe(200);
  expect(await countOf("deliveries", own, sql)).toBe(1);
});
