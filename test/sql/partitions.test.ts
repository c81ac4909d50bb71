// Every page of Settings and every GET of the API with a log of many partitions. PostgreSQL's auto_explain gives the
// plans of the statements that ran: they read no partition, and few rows, without need.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApp } from "../../server/app.ts";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { measureKept } from "../../server/data/retention/measure.ts";
import { readConfig } from "../../server/platform/config/config.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { createVault } from "../../server/platform/vault.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { type EmptyDatabase, newMigratedDatabase } from "../support/empty-database.ts";
import { API, type Api } from "../world/api.ts";
import { type Json, operationsOf, resolve } from "../world/documented.ts";
import { arrange, fill as filled, PATHS } from "../world/every-path.ts";
import { plantFormerOutcomes } from "../world/planted.ts";
import { analyze, columnsOf, makePartitions } from "../world/postgresql.ts";
import { addRows, fill, rowsOf, times } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const DAY_MS = 86_400_000;
const DAYS = 20;
const EVENTS_A_DAY = 300;
/** The share of a table that one statement may read: figures count 7 of the DAYS, and the day in progress. */
const MAX_SHARE_READ = 0.4;
/** Rows that one statement may leave out: those of a small partition. */
const MAX_LEFT_OUT = 400;
/** An event and its log are in one partition; so is the event of the change before it, or in another. */
const OF_ONE_EVENT = /\/(WebhookEvent|activity)\/[0-9a-f-]{36}/;
/** Of a filter with many words. */
const MAX_WORDS = 8;
/** No index has these: the newest events are searched until a page is full. */
const WITHOUT_INDEX = /[?&](Was|Failed=false|SentAgain=false|ActorType|SubjectType|Outcome)\b/;
/** Counts up to a limit. */
const COUNT = /^\s*select count\(\*\) as count from \(.*limit \$\d+\s*\) as \w+\s*$/s;
/**
 * Indexes of rows whose time is not their event's, or that are rare. A statement may look into all partitions whether
 * they have such a row.
 */
const PROBED = [
  // A state is reached, and an attempt fails, some time after the event.
  ...["deliveries_changed", "former_outcomes_reached", "attempts_failed"],
  ...["events_record", "events_members", "events_kind"],
  ...["deliveries_closed_event", "deliveries_closed_connection", "deliveries_troubled"],
  ...["deliveries_closed_redelivery", "former_outcomes_redelivery"],
  ...["audit_log_kind", "audit_log_actor", "audit_log_subject", "audit_log_failure", "audit_log_request"],
];

/** A node of EXPLAIN (ANALYZE, FORMAT JSON). */
interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
}

let database: EmptyDatabase;
let sql: Sql;
let server: ReturnType<typeof Bun.serve>;
let api: Api;
let paths: string[];
/** Of the statements since the last request. */
let explained: { text: string; plan: Node }[] = [];
/** Rows by table and by partition; the table of a partition, and the index that an index is a part of. */
const rows = new Map<string, number>();
const parents = new Map<string, string>();

beforeAll(async () => {
  database = await newMigratedDatabase();
  await explainAll(database);
  sql = connect(database.url, "gatehouse plans", 4, { onnotice });
  const url = startApi();
  const other = await newTenant({ url, databaseUrl: database.url });
  await withHistory(other, EVENTS_A_DAY / 10);
  api = await newTenant({ url, databaseUrl: database.url });
  await withHistory(api, EVENTS_A_DAY);
  const ids = await arrange(api, database.sql);
  paths = ["/settings", ...PATHS.map((path) => filled(path, ids))];
  await analyze([...new Set((await columnsOf(database.sql)).map(({ table }) => table))], database.sql);
  // The page Data reads what maintenance has measured.
  await measureKept(database.sql, new Date(Date.now() + 60_000));
  await readParents();
});

afterAll(async () => {
  await server?.stop(true);
  await sql?.end();
  await database?.[Symbol.asyncDispose]();
});

test("pages of Settings", async () => {
  const visitor = new Visitor(server.url.origin);
  const entrance = await visitor.open(`/settings?organisation=${api.tenantId}`);
  expect((await visitor.submit(entrance, api.tenant.admin)).heading).toBe("Overview");
  const problems = await inTurn(paths, async (path) => ({ status: (await visitor.open(path)).status }));
  expect(problems).toEqual([]);
});

test("every GET of the API, each filter and the second page of lists", async () => {
  const problems = await inTurn(await requests(), async (path) => {
    const { status, body } = await api.get(path);
    return { status, next: body?.Next };
  });
  expect(problems).toEqual([]);
});

test("a scan without need is found", async () => {
  const of = async (text: string, path = "/settings") => {
    explained = [];
    await sql.unsafe(text);
    return problemsOf(path).map((problem) => problem.split(": ")[2]);
  };
  expect(await of("select from events order by id desc limit 1")).toEqual([]);
  expect(await of("select from payloads where payload = ''")).toContainEqual(expect.stringContaining("read whole"));
  expect(await of("select count(id) from events where id > lowest_id('epoch')")).toEqual([
    expect.stringMatching(/^\d+ of \d+ rows are read/),
  ]);
  const unknown = `select from attempts where delivery_id = '${crypto.randomUUID()}'`;
  expect(await of(unknown)).toEqual([expect.stringContaining("are searched in vain")]);
});

/** Sessions that begin from now on send the plan of each statement as a notice. */
async function explainAll({ url, sql }: EmptyDatabase): Promise<void> {
  for (const setting of [
    "session_preload_libraries = auto_explain",
    "client_min_messages = log",
    "auto_explain.log_min_duration = 0",
    "auto_explain.log_analyze = on",
    "auto_explain.log_timing = off",
    "auto_explain.log_format = json",
    // Else small partitions are read whole, as large ones would not be.
    "enable_seqscan = off",
    "random_page_cost = 1.1",
  ]) {
    await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set ${setting}`);
  }
}

function onnotice({ message = "" }: { message?: string }): void {
  const [, json] = /^duration: .*plan:\n(.*)$/s.exec(message) ?? [];
  if (!json) return;
  const { "Query Text": text, Plan: plan } = JSON.parse(json);
  explained.push({ text, plan });
}

/** @returns its URL */
function startApi(): string {
  let app: ReturnType<typeof createApp> | undefined;
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => app!.handle(request) });
  const { origin } = server.url;
  const config = readConfig({ PUBLIC_URL: origin, RATE_LIMIT: "100000", RATE_LIMIT_BURST: "100000" });
  const vault = createVault(newMasterKey());
  const egress = createEgress(config.egress);
  app = createApp({ config, sql, vault, egress, log: createLog("silent", "test"), recorder: NO_RECORDER });
  return origin;
}

const NO_RECORDER = { record: () => {}, stop: async () => {} };

async function withHistory(client: Api, eventsADay: number): Promise<void> {
  const { sql } = database;
  const receivers = ["directory", "archive"].map((name) =>
    client.connect(`https://receiver.example/${name}`, { Name: name, State: "Paused" }),
  );
  const connectionIds = (await Promise.all(receivers)).map(({ Id }) => Id);
  const tenantId = client.tenantId as TenantId;
  await fill(sql, { tenantId, connectionIds, events: DAYS * eventsADay, spanMs: DAYS * DAY_MS, stateOf, changeOf });
  const deliveries = await rowsOf("deliveries", { tenant_id: tenantId }, sql);
  await plantFormerOutcomes(
    deliveries.filter(({ position }) => position % 20 === 0),
    {},
    sql,
  );
  await makePartitions(["audit_log"], new Date(Date.now() - 365 * DAY_MS), new Date(), sql);
  const entries = times(10 * eventsADay, (n) => signInOf(tenantId, n + 1));
  await addRows("audit_log", entries, sql);
}

/** Every three hours; each fifth fails. */
function signInOf(tenantId: string, n: number) {
  const at = Date.now() - n * 3 * 3_600_000;
  const [kind, outcome] = n % 5 === 0 ? ["SignIn.Failed", "Failure"] : ["SignIn.Succeeded", "Success"];
  const from = { address: "", user_agent: "", details: {}, request_key: "key" };
  return { tenant_id: tenantId, id: Bun.randomUUIDv7("hex", at), occurred_on: new Date(at), kind, outcome, ...from };
}

function changeOf(event: number) {
  if (event % 400 === 0) return { type: "Deleted" };
  return event % 400 === 1 ? { records: `${event + 1_001},7` } : {};
}

function stateOf(event: number): DeliveryState {
  if (event % 100 === 0) return "Exhausted";
  if (event % 500 === 1) return "Cancelled";
  if (event % 500 === 2) return "Held";
  return event > DAYS * EVENTS_A_DAY - 10 ? "Retrying" : "Delivered";
}

async function readParents(): Promise<void> {
  const found = await database.sql<{ name: string; parent: string; isTable: boolean; rows: number }[]>`
    select c.relname as name, p.relname as parent, c.relkind = 'r' as "isTable", c.reltuples::float8 as rows
    from pg_inherits join pg_class c on c.oid = inhrelid join pg_class p on p.oid = inhparent
    where p.relname !~ '^deliveries(_id)?$'`;
  for (const { name, parent, isTable, rows: count } of found) {
    parents.set(name, parent);
    if (!isTable) continue;
    rows.set(name, count);
    rows.set(parent, (rows.get(parent) ?? 0) + count);
  }
}

/** Values of filters whose schema has none. */
const samples = async (): Promise<Record<string, string[]>> => {
  const [event] = (await api.events("Limit=1&ConnectionId=")).Items;
  const connections = (await api.get("/WebhookConnection")).body.Items as { Id: string; Name: string }[];
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  return {
    RecordId: [String(event!.RecordId), "1010", "999999"],
    ConnectionId: connections.map(({ Id }) => Id),
    Reason: ["503", "timeout"],
    Last: ["24h"],
    From: [ago(3)],
    To: [ago(20)],
    OutcomeFrom: [ago(3)],
    OutcomeTo: [ago(DAYS - 3)],
    ActorId: ["1001&ActorType=User"],
    SubjectId: ["1001&SubjectType=User"],
  };
};

/** Every GET with at most a record's Id in its path: alone, and with each value of each filter. */
async function requests(): Promise<string[]> {
  const document = await (await fetch(`${server.url.origin}/openapi.json`)).json();
  const known = await samples();
  const gets = operationsOf(document).filter(({ path, method }) => method === "get" && path.startsWith(API));
  const found = gets.map(async ({ path, operation }) => {
    const at = await withId(path.slice(API.length));
    if (at === undefined) return [];
    const parameters: Json[] = (operation.parameters ?? []).map((one: Json) => resolve(document, one));
    const asked = parameters.filter((one) => one.in === "query" && !/^(Limit|Cursor)$/.test(one.name));
    const values = asked.flatMap(({ name, schema }) => {
      const { enum: words, type } = resolve(document, schema);
      const few = words?.slice(0, MAX_WORDS) ?? (type === "boolean" ? [true, false] : known[name]) ?? ["x"];
      return few.map((value: unknown) => `${name}=${value}`);
    });
    // A connection's page links to these.
    const ofConnection = values.filter((one) => /^(State|Was|Failed|EventType)=/.test(one));
    const both = asked.some(({ name }) => name === "ConnectionId") ? ofConnection : [];
    if (asked.some(({ name }) => name === "Seconds")) return [`${at}?Seconds=1`];
    const all = ["", ...values, ...both.map((one) => `${one}&ConnectionId=${known.ConnectionId![0]}`)];
    const limit = parameters.some(({ name }) => name === "Limit") ? "Limit=2&" : "";
    return all.map((query) => `${at}?${limit}${query}`);
  });
  return (await Promise.all(found)).flat();
}

/** With the Id of the list's first record; undefined if there is none. */
async function withId(path: string): Promise<string | undefined> {
  const [list] = path.split("/{");
  if (list === path) return path;
  const { body } = await api.get(`${list}?Limit=1`);
  const first = body?.Items?.[0];
  const id = first?.EventId ?? first?.Id;
  return id === undefined ? undefined : path.replaceAll(/\{\w+\}/g, id);
}

/** Asks for each path, and for the second page of a list. */
async function inTurn(
  given: readonly string[],
  ask: (path: string) => Promise<{ status: number; next?: string | null }>,
): Promise<string[]> {
  const problems: string[] = [];
  let statements = 0;
  for (const path of given) {
    explained = [];
    const { status, next } = await ask(path);
    if (status >= 500) problems.push(`${path}: ${status}`);
    if (next) await ask(`${path}&Cursor=${encodeURIComponent(next)}`);
    statements += explained.length;
    problems.push(...problemsOf(path));
  }
  expect(statements).toBeGreaterThan(given.length);
  return [...new Set(problems)];
}

interface Scan {
  table: string;
  partition: string;
  index: string | undefined;
  read: number;
  leftOut: number;
}

/** Of the statements since the last request. */
function problemsOf(path: string): string[] {
  return explained.flatMap(({ text, plan }) => {
    const scans = scansOf(plan);
    const tables = Map.groupBy(scans, ({ table }) => table);
    return [...tables].flatMap(([table, own]) =>
      wrongWith(path, text, table, own, readOf(scans) - readOf(own)).map(
        (what) => `${path}: ${table}: ${what}: ${text.replace(/\s+/g, " ").slice(0, 1500)}`,
      ),
    );
  });
}

function wrongWith(path: string, text: string, table: string, scans: Scan[], readElsewhere: number): string[] {
  const mayReadMore = WITHOUT_INDEX.test(path) || COUNT.test(text);
  const whole = scans.filter(({ index }) => index === undefined);
  const leftOut = scans.reduce((sum, one) => sum + one.leftOut, 0);
  const read = readOf(scans);
  const notProbed = scans.filter(({ index }) => index !== undefined && !PROBED.includes(index));
  const partitions = (some: Scan[]) => new Set(some.map(({ partition }) => partition)).size;
  // A row of another table may be looked up in vain.
  const idle = partitions(notProbed.filter((one) => one.read === 0)) - readElsewhere;
  return [
    ...(whole.length > 0 ? [`${partitions(whole)} partitions are read whole`] : []),
    ...(!mayReadMore && leftOut > MAX_LEFT_OUT ? [`${leftOut} rows are left out${by(scans)}`] : []),
    ...(!mayReadMore && read > MAX_SHARE_READ * rows.get(table)!
      ? [`${read} of ${rows.get(table)} rows are read${by(scans)}`]
      : []),
    ...(idle > 2 ? [`${idle} partitions are searched in vain${by(notProbed)}`] : []),
    ...(OF_ONE_EVENT.test(path) && partitions(notProbed) > 1
      ? [`${partitions(notProbed)} partitions for an event`]
      : []),
  ];
}

const readOf = (scans: Scan[]) => scans.reduce((sum, { read }) => sum + read, 0);
const by = (scans: Scan[]) => ` by ${[...new Set(scans.map(({ index }) => index))].join()}`;

/** Of partitions that have rows. */
function scansOf(node: Node): Scan[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const partition = node["Relation Name"];
  const table = partition && parents.get(partition);
  const loops = node["Actual Loops"];
  if (!table || loops === 0 || !rows.get(partition)) return below;
  const leftOut = loops * ((node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0));
  const index = indexOf(node);
  const read = Math.round(loops * node["Actual Rows"]) + leftOut;
  return [{ table, partition, index: index && (parents.get(index) ?? index), read, leftOut }, ...below];
}

/** Of a bitmap's scan it is the one below it. */
function indexOf(node: Node): string | undefined {
  return node["Index Name"] ?? node.Plans?.map(indexOf).find((name) => name !== undefined);
}
