// The page Data on a database of its own, first with one tenant. Also what outlives retention, on Overview and as a metric.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { measureKept } from "../../server/data/retention/measure.ts";
import { LOG_TABLES } from "../../server/platform/db/partitions.ts";
import { connect } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { type EmptyDatabase, newMigratedDatabase } from "../support/empty-database.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { scrape, sum } from "../support/scrape.ts";
import { type Api, until } from "../world/api.ts";
import { partitionsOf } from "../world/postgresql.ts";
import { addRows, countOf, fill, removeRows, rowsOf, setRows, times } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const DAY_MS = 86_400_000;
const DAYS = 40;
const PER_DAY = 3;
const METRICS_TOKEN = "a-token-of-the-test";
const TEMPORAL_BYTES = 1_230_000;

let database: EmptyDatabase;
let process: StartedProcess;
let url: string;
let api: Api;
let browser: Visitor;

beforeAll(async () => {
  database = await newMigratedDatabase();
  const port = String(await nextFreePort(0, "127.0.0.1", new Set()));
  url = `http://127.0.0.1:${port}`;
  process = startProcess("server/serve.ts", {
    DATABASE_URL: database.url,
    MASTER_KEY: newMasterKey(),
    PORT: port,
    PUBLIC_URL: url,
    METRICS_TOKEN,
  });
  await process.said((message) => message === "api ready");
  api = await tenantWith(DAYS * PER_DAY);
  browser = await administratorOf(api);
});

afterAll(async () => {
  await process?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** A tenant with changes of DAYS to one paused connection; the oldest delivery is in this state. */
async function tenantWith(events: number, oldest: DeliveryState = "Delivered"): Promise<Api> {
  const made = await newTenant({ url, databaseUrl: database.url });
  const { Id } = await made.connect("https://receiver.example/", { Name: "Door system", State: "Paused" });
  await fill(database.sql, {
    tenantId: made.tenantId as TenantId,
    connectionIds: [Id],
    events,
    spanMs: DAYS * DAY_MS,
    stateOf: (number) => (number === 0 ? oldest : "Delivered"),
  });
  return made;
}

async function administratorOf({ tenant }: Api): Promise<Visitor> {
  const visitor = new Visitor(url);
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), tenant.admin);
  return visitor;
}

/** As maintenance does every hour. Sessions tell PostgreSQL of their changes some time later, so all are measured. */
async function measure(): Promise<void> {
  await removeRows("measured_partitions", {}, database.sql);
  await measureKept(database.sql, new Date(Date.now() + 60_000), TEMPORAL_BYTES);
}

/** The cells of the page's table, by the kind. */
async function keptBy(visitor: Visitor, query = ""): Promise<Record<string, string[]>> {
  const { html } = await visitor.open(`/settings/data${query}`);
  const rows: string[][] = [];
  const cell = (text: string) => rows.at(-1)!.push(text);
  new HTMLRewriter()
    .on("tbody tr", { element: () => void rows.push([]) })
    .on("tbody tr > *", { element: () => void cell("") })
    .on("tbody tr > * *", { text: ({ text }) => void cell(rows.at(-1)!.pop()! + text) })
    .transform(html.slice(0, html.indexOf("</table>")));
  return Object.fromEntries(rows.map(([kind, ...cells]) => [kind!, cells]));
}

const overdue = async () => sum(await scrape(`${url}/metrics`, METRICS_TOKEN), "gatehouse_webhook_overdue");

/** The product's own words for bytes. */
function inWords(bytes: number): string {
  const [size, unit] = bytes >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
  return `${(bytes / size).toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit}`;
}

const total = (all: { bytes: number }[]) => all.reduce((bytes, one) => bytes + one.bytes, 0);

async function sizeOf(table: string): Promise<number> {
  return total(await partitionsOf(table, database.sql));
}

/** Events of days that end before an age. */
async function eventsBefore(days: number): Promise<number> {
  const events = await rowsOf<{ id: string }>("events", { tenant_id: api.tenantId }, database.sql);
  const dayOf = (id: string) => Math.floor(Number.parseInt(id.replace("-", "").slice(0, 12), 16) / DAY_MS);
  return events.filter(({ id }) => (dayOf(id) + 1 + days) * DAY_MS <= Date.now()).length;
}

test("before the first measurement the page says so", async () => {
  expect((await browser.open("/settings/data")).html).toContain("Not measured yet");
});

test("a tenant alone sees every kind with its setting, rows, size on disk and oldest day", async () => {
  await measure();
  const kept = await keptBy(browser);
  expect(Object.keys(kept)).toHaveLength(LOG_TABLES.length + 3);
  const rows = (DAYS * PER_DAY).toLocaleString("en");
  expect(kept.Changes!.slice(0, 2)).toEqual(["30 d, by RETENTION", `${rows} rows, ${inWords(await sizeOf("events"))}`]);
  expect(kept.Payloads!.slice(0, 2)).toEqual([
    "7 d, by PAYLOAD_RETENTION",
    `${rows} rows, ${inWords(await sizeOf("payloads"))}`,
  ]);
  for (const kind of ["Ended deliveries", "Attempts", "Answers of receivers"]) {
    expect(kept[kind]![1]).toStartWith(`${rows} rows, `);
  }
  for (const kind of ["Outcomes before a redelivery", "Open deliveries"]) {
    expect(kept[kind]!.slice(1)).toEqual(["none", "none"]);
  }
  expect(kept["Open deliveries"]![0]).toBe("until they end");
  expect(kept["Workflows in Temporal"]).toEqual(["1 d, by TEMPORAL_RETENTION", "1.23 MB", "none"]);
  expect(kept["Audit log"]![0]).toBe("400 d, by AUDIT_RETENTION");
  const { html } = await browser.open("/settings/data");
  const oldest = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  // A day in UTC is not converted to the local time zone.
  expect(html).toContain(`<time datetime="${oldest}">`);
  expect(html).toMatch(/, as of <time datetime="[^"]+" data-show="moment">/);
  expect(html).toContain("Sizes are on disk, with indexes.");
});

test("rows are counted by the hour: older and newer ones, of every kind, are there after the next measurement", async () => {
  const late = await tenantWith(DAYS * PER_DAY, "Held");
  const visitor = await administratorOf(late);
  expect((await visitor.open("/settings/data")).html).toContain("Not measured yet");
  await measure();
  const kept = await keptBy(visitor);
  const others = (DAYS * PER_DAY - 1).toLocaleString("en");
  expect(kept["Ended deliveries"]![1]).toStartWith(`${others} rows, `);
  expect(kept["Open deliveries"]![1]).toStartWith("1 row, ");
  expect(kept["Workflows in Temporal"]![1]).toBe("shared with other organisations");
  // More than 500 newer events, without ended deliveries, hide nothing.
  const { Id } = await late.connect("https://receiver.example/open", { State: "Paused" });
  const newer = { tenantId: late.tenantId as TenantId, connectionIds: [Id], events: 600, spanMs: 1_000 };
  await fill(database.sql, { ...newer, stateOf: () => "Held" });
  await measure();
  const later = await keptBy(visitor);
  expect(later["Ended deliveries"]).toEqual(kept["Ended deliveries"]!);
  expect(later["Open deliveries"]![1]).toStartWith("601 rows, ");
  expect(later.Changes![1]).toStartWith(`${(DAYS * PER_DAY + 600).toLocaleString("en")} rows, `);
});

test("the chart has what was kept at the end of each day", async () => {
  const { sql } = database;
  const own = { tenant_id: api.tenantId, name: "payloads" };
  const totals = times(40, (index) => {
    const at = new Date(Date.now() - (index + 1) * DAY_MS);
    return { ...own, day: at.toISOString().slice(0, 10), measured_on: at, bytes: 1e6 * (39 - index), bytes_on_disk: 0 };
  });
  await addRows("kept_totals", totals, sql);
  await measure();
  expect(await countOf("kept_totals", own, sql)).toBe(30);
  const { html } = await browser.open("/settings/data");
  expect(html).toContain("Kept on each of the last 30 days, in kB");
  const yesterday = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  expect(html).toContain(`${yesterday.format(Date.now() - DAY_MS)}: 39000 Payloads and answers`);
  await removeRows("kept_totals", { ...own, bytes_on_disk: 0 }, sql);
});

test("a partition is measured again only after a change, and the audit log from the last day on", async () => {
  // Otherwise PostgreSQL reports the session's changes up to a minute later.
  await database.sql`select pg_stat_force_next_flush()`;
  const again = () => measureKept(database.sql, new Date(Date.now() + 60_000));
  await until("nothing to measure", async () => (await again()) === 0);
  const daysOf = async (name: string) =>
    rowsOf<{ rows: number; bytes: number }>("kept_days", { tenant_id: api.tenantId, name }, database.sql);
  const bytes = total(await daysOf("audit_log"));
  await api.change({ Name: "Gate" });
  // PostgreSQL's sessions report their changes one after another.
  const later = await until("the change", async () => {
    await again();
    const events = (await daysOf("events")).reduce((sum, { rows }) => sum + rows, 0);
    return events > DAYS * PER_DAY && { bytes: total(await daysOf("audit_log")), events };
  });
  expect(later).toEqual({ bytes, events: DAYS * PER_DAY + 1 });
});

test("after its deadline a measurement reads no partition; the next one continues", async () => {
  await removeRows("measured_partitions", {}, database.sql);
  expect(await measureKept(database.sql, new Date(Date.now() - 1))).toBe(0);
  expect(await measureKept(database.sql, new Date(Date.now() + 60_000))).toBeGreaterThan(DAYS);
});

test("a number of days shows what would go, and removes nothing", async () => {
  const before = await keptBy(browser);
  const asked = await keptBy(browser, "?Days=10");
  const gone = await eventsBefore(10);
  expect(gone).toBeGreaterThan(PER_DAY * (DAYS - 13));
  expect(asked.Changes!.at(-1)).toStartWith(`${gone} rows, `);
  expect(asked.Payloads!.at(-1)).toStartWith(`${gone} rows, `);
  expect(asked["Audit log"]!.at(-1)).toBe("none");
  expect(asked["Open deliveries"]!.at(-1)).toBe("none");
  expect((await keptBy(browser, "?Days=36500")).Changes!.at(-1)).toBe("none");
  expect(await keptBy(browser)).toEqual(before);
});

test.each(["0", "36501", "ten", "1.5", "-1"])("%s days are refused in words, beside the figures", async (days) => {
  const { status, html } = await browser.open(`/settings/data?Days=${days}`);
  expect(status).toBe(400);
  expect(html).toContain("must be a whole number from 1 to 36500.");
  expect(html).toContain("Ended deliveries");
});

test("Measure now counts what has come since, but not twice within a minute", async () => {
  await measure();
  const press = async () => {
    const { forms } = await browser.open("/settings/data");
    const { action, fields } = forms.find((form) => form.action.endsWith("/measure"))!;
    return browser.post(action, fields);
  };
  expect((await press()).html).toContain("It was measured less than a minute ago.");
  const grown = new Date(Date.now() - 120_000);
  await setRows("kept_totals", {}, { measured_on: grown }, database.sql);
  await removeRows("kept_days", {}, database.sql);
  await removeRows("measured_partitions", {}, database.sql);
  expect((await keptBy(browser)).Changes![1]).toBe("none");
  expect((await press()).html).toContain("Measured.");
  expect((await keptBy(browser)).Changes![1]).toMatch(/ rows, /);
});

test("a tenant's page does not depend on the volume of other tenants", async () => {
  const other = await newTenant({ url, databaseUrl: database.url });
  const page = async () => {
    const { html } = await browser.open("/settings/data?Days=10");
    return html.slice(html.indexOf("<main")).replace(/value="[^"]*"|, as of <time.*?<.time>/g, "");
  };
  // The use of limits is reported some time after the requests.
  await until("the tenant's own use", async () =>
    /Events today, in UTC<.*?data-name="Used"><span>[1-9]/.test(await page()),
  );
  await measure();
  const before = await page();
  expect(before).toContain("Sizes are of the rows alone");
  const { Id } = await other.connect("https://receiver.example/", { State: "Paused" });
  await fill(database.sql, {
    tenantId: other.tenantId as TenantId,
    connectionIds: [Id],
    events: 5_000,
    spanMs: DAYS * DAY_MS,
  });
  await measure();
  expect(await page()).toBe(before);
  expect((await keptBy(await administratorOf(other))).Changes![1]).toStartWith("5,000 rows, ");
});

test("sizes do not depend on the plan by which PostgreSQL counts", async () => {
  const sizes = async () =>
    (await rowsOf("kept_days", {}, database.sql)).map((row) => JSON.stringify(Object.entries(row).sort())).sort();
  await measure();
  const before = await sizes();
  const sql = connect(database.url, "gatehouse test", 1);
  await using _ = { [Symbol.asyncDispose]: () => sql.end() };
  for (const plans of [["hashagg"], ["hashjoin", "nestloop"], ["mergejoin", "nestloop"], ["hashjoin", "mergejoin"]]) {
    const setPlans = async (value: string) => {
      for (const plan of plans) await sql`select set_config(${`enable_${plan}`}, ${value}, false)`;
    };
    await setPlans("off");
    await removeRows("measured_partitions", {}, database.sql);
    await measureKept(sql, new Date(Date.now() + 60_000));
    expect(await sizes()).toEqual(before);
    await setPlans("on");
  }
});

test("a reader who may not see every event gets no figures of the log", async () => {
  const reader = await tenantWith(PER_DAY);
  const { EventId } = await reader.newestEvent();
  const Policy = `forbid (principal is User, action, resource == WebhookEvent::"${EventId}");`;
  expect(await reader.call("PATCH", "/Policy", { Name: "One event", Policy })).toMatchObject({ status: 200 });
  const visitor = await administratorOf(reader);
  await measure();
  expect(Object.keys(await keptBy(visitor))).toEqual(["Audit log"]);
  const text = `forbid (principal is User, action, resource is AuditEvent) when { resource.Kind == "SignOut" };`;
  expect(await reader.call("PATCH", "/Policy", { Name: "Audit", Policy: text })).toMatchObject({ status: 200 });
  expect((await visitor.open("/settings/data")).html).toContain("Totals are hidden from you");
});

test("open deliveries older than the log is kept are a metric and a line on Overview, which leads to Discard", async () => {
  const before = await overdue();
  const late = await tenantWith(DAYS, "Held");
  const visitor = await administratorOf(late);
  const { html } = await visitor.open("/settings");
  expect(html).toContain("1 delivery of changes older than the log is kept. They stay until sent or given up: ");
  expect(html).toContain(" (Paused: 1)");
  const [, path] = /given up: .*?href="([^"]+)"/.exec(html)!;
  expect((await visitor.open(path!)).html).toContain("/discard");
  await until("the metric", async () => (await overdue()) === before + 1);
  expect((await (await administratorOf(await tenantWith(DAYS))).open("/settings")).html).not.toContain(
    "older than the log",
  );
});

test("fewer days of a tenant are its own limit, on the page, on Overview and in the metric", async () => {
  const before = await overdue();
  const strict = await tenantWith(DAYS, "Held");
  const { Id } = await strict.connect("https://receiver.example/late", { State: "Paused" });
  const tenantId = strict.tenantId as TenantId;
  await fill(database.sql, { tenantId, connectionIds: [Id], events: 1, spanMs: 10 * DAY_MS, stateOf: () => "Held" });
  await until("one older than RETENTION", async () => (await overdue()) === before + 1);
  expect(await strict.patch("/TenantSettings", { RetentionDays: 3 })).toMatchObject({ status: 200 });
  const visitor = await administratorOf(strict);
  await measure();
  const kept = await keptBy(visitor);
  expect([kept.Changes![0], kept.Payloads![0]]).toEqual(["3 d, by RetentionDays", "3 d, by RetentionDays"]);
  expect((await visitor.open("/settings")).html).toContain("2 deliveries of changes older than the log is kept");
  await until("the other one", async () => (await overdue()) === before + 2);
});
