// Response times of pages in Settings and of the API's lists with a long activity log: 10,000,000 events of ten tenants in
// 100 daily partitions. One tenant has 90 % of them. Also PostgreSQL's CPU per change, with an empty and with a full log.
// Also response times of changes while half of the partitions are dropped.
//
//   bun run bench console --events=10000000 --days=100 --only=pages,lists,change,drop

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureKept } from "../server/data/retention/measure.ts";
import { removeExpiredLogs } from "../server/data/retention/retention.ts";
import { connect, type Sql } from "../server/platform/db/sql.ts";
import { createLog } from "../server/platform/log.ts";
import { countFinishedHours } from "../server/webhooks/figures/hours.ts";
import { type Stack, startStack } from "../test/support/stack.ts";
import { API, type Api, until } from "../test/world/api.ts";
import { startReceiver } from "../test/world/receiver.ts";
import { newTenant } from "../test/world/tenant.ts";
import { Visitor } from "../test/world/visitor.ts";
import { cpuSeconds } from "./processes.ts";

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: "string", default: "10000000" },
    days: { type: "string", default: "100" },
    only: { type: "string", default: "pages,lists,change,drop" },
  },
});
const events = Number(options.events);
const days = Number(options.days);
const only = options.only.split(",");

const TENANTS = 10;
/** The first tenant's share of the events; its pages and lists are measured. */
const SHARE_OF_FIRST = 0.9;
const CONNECTIONS = 10;
const USERS = 100_000;
/** The product drops older payloads and answers. */
const PAYLOAD_DAYS = 7;
const AIM_MS = 100;
const MAX_RATIO = 1.1;
const WARM_UP = 5;
const ROUNDS = 100;
const PAGE = 50;
const HUNDREDTH = 100;
const CHANGES = 300;
const CHANGE_PAUSE_MS = 40;
const REST_MS = 3_000;
const LANES = 2;
const CHANGERS = 4;
const USUAL_MS = 15_000;
const MAX_WAIT_MS = 50;

await using stack = await startStack({ env: { RETENTION: `${days + 10}d`, AUDIT_RETENTION: `${days + 10}d` } });
const sql = connect(stack.databaseUrl, "gatehouse bench", LANES);
const tenants = await Promise.all(Array.from({ length: TENANTS }, () => newTenant(stack)));
const [api] = tenants as [Api];
const empty = only.includes("change") ? await costOfChanges("with an empty log") : 0;
const connectionIds = await Promise.all(tenants.map(connectionsOf));
await fillLog();
if (only.includes("change")) {
  const full = await costOfChanges(`with ${count(events)} events`);
  const ratio = full / empty;
  console.log(`a change costs ${ratio.toFixed(2)} times as much${ratio > MAX_RATIO ? `  over ${MAX_RATIO}` : ""}\n`);
}
if (only.includes("pages")) await measurePages();
if (only.includes("lists")) await measureLists();
if (only.includes("drop")) await measureDrop();
console.log(`\n${ROUNDS} each, one at a time; load average ${loadavg()[0]!.toFixed(1)}`);
await sql.end();

async function connectionsOf(tenant: Api): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= CONNECTIONS; number++) {
    // Paused, so nothing is sent. The receivers do not exist.
    const { Id } = await tenant.connect(`https://127.0.0.1:8443/${number}`, {
      Name: `Receiver ${number}`,
      State: "Paused",
    });
    ids.push(Id);
  }
  return ids;
}

async function fillLog(): Promise<void> {
  const startedAt = performance.now();
  await sql`
    insert into users (tenant_id, name, username, email)
    select ${api.tenantId}, 'Person ' || n, 'person-' || n, 'person-' || n || '@example.com'
    from generate_series(1, ${USERS}::int) n`;
  let day = days;
  const lane = async () => {
    while (day > 0) {
      await fillDay(sql, --day);
      const seconds = (performance.now() - startedAt) / 1000;
      if (day % 10 === 0) console.error(`${days - day} of ${days} days filled in ${seconds.toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  // As autovacuum does after a while.
  await sql`vacuum analyze events, payloads, deliveries, attempts, responses, audit_log, users`;
  const measuredAt = performance.now();
  const measured = await measureKept(sql, new Date(Date.now() + 600_000));
  const seconds = ((performance.now() - measuredAt) / 1000).toFixed(1);
  console.log(`${measured} partitions measured for the page Data in ${seconds} s`);
  const countedAt = performance.now();
  await countFinishedHours(sql);
  console.log(`8 days of outcomes counted by the hour in ${((performance.now() - countedAt) / 1000).toFixed(1)} s`);
  const [size] = await sql<{ gib: number }[]>`select pg_database_size(current_database()) / 1024.0 ^ 3 as gib`;
  const partitions = await sql`select from pg_inherits where inhparent = 'events'::regclass`;
  console.log(
    `${count(events)} events in ${partitions.length} partitions, ${Number(size!.gib).toFixed(1)} GiB, filled in ` +
      `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`,
  );
}

/** One delivery for each event: mostly delivered, some failed three times, few were cancelled; one event is rare. */
async function fillDay(sql: Sql, daysAgo: number): Promise<void> {
  const perDay = Math.ceil(events / days);
  await sql.begin(async (tx) => {
    await tx`set local synchronous_commit = off`;
    await tx`set local jit = off`;
    await tx`
      select make_partitions(array['events', 'payloads', 'deliveries_closed', 'attempts', 'responses', 'former_outcomes',
        'audit_log'], now() - make_interval(days => ${daysAgo + 1}), now() - make_interval(days => ${daysAgo}))`;
    await tx`
      create temp table made on commit drop as
      select uuidv7(make_interval(secs => -86400.0 * (${daysAgo} + 1 - n / ${perDay + 1}::float8))) as id, n, tenant,
        (${tenants.map(({ tenantId }) => tenantId)}::uuid[])[tenant] as tenant_id,
        case when n % 20 < 12 then 'Application' when n % 20 < 19 then 'User' else 'Department' end as event_record,
        case when n % 100000 = 7 then 'Deleted' when n % 10 = 0 then 'Created' else 'Updated' end as event_type,
        1001 + (n * 7919) % 200000 as record,
        case when n % 200 = 3 then 'Exhausted' when n % 50000 = 11 then 'Cancelled' else 'Delivered' end as state
      from generate_series(1, ${perDay}::int) n, lateral (
        select case when n % 100 < ${100 * SHARE_OF_FIRST}::int then 1 else 2 + n % ${TENANTS - 1}::int end as tenant
      ) t`;
    await tx`
      insert into events (id, tenant_id, event_record, event_type, record_id, sequences, occurred_on, recorded_on)
      select id, tenant_id, event_record, event_type, record, array[n], uuid_extract_timestamp(id),
        uuid_extract_timestamp(id)
      from made order by id`;
    await tx`
      insert into deliveries (id, tenant_id, event_id, connection_id, position, record, part, state, reason, attempts,
        changed_on)
      select gen_random_uuid(), m.tenant_id, m.id, c.ids[1 + n % ${CONNECTIONS}::int], e.position,
        record_key(m.event_record, m.record::text), 1, m.state, case m.state when 'Exhausted' then '503' end,
        case m.state when 'Exhausted' then 3 when 'Delivered' then 1 else 0 end, e.occurred_on + interval '50 ms'
      from made m join events e on e.id = m.id and e.id >= (select id from made order by id limit 1) join (
        select tenant, array_agg(id order by id) as ids from (
          select ordinality as tenant, unnest(string_to_array(list, ','))::uuid as id
          from unnest(${connectionIds.map((ids) => ids.join())}::text[]) with ordinality as l (list)
        ) ids group by tenant
      ) c on c.tenant = m.tenant`;
    await tx`
      insert into attempts (event_id, delivery_id, number, started_on, duration_ms, status_code, failed_to)
      select d.event_id, d.id, number, d.changed_on + (number - 1) * interval '30 seconds', 25,
        case d.state when 'Delivered' then 200 else 503 end, case d.state when 'Exhausted' then d.connection_id end
      from deliveries_closed d, generate_series(1, d.attempts) as number
      where d.event_id in (select id from made)`;
    if (daysAgo >= PAYLOAD_DAYS) return;
    await tx`
      insert into payloads (event_id, payload)
      select id, json_build_object('TenantId', tenant_id, 'EventType', event_type, 'EventId', id, 'Version', '1.0',
        'Timestamp', uuid_extract_timestamp(id), 'EventRecord', event_record, 'EventResponse', 'Object',
        'Data', json_build_object('Id', record, 'Name', 'Record ' || record, 'Description', repeat('x', 200)))
      from made`;
    await tx`
      insert into responses (event_id, delivery_id, number, headers, body)
      select event_id, delivery_id, number, 'content-type: text/plain', 'Thank you.' from attempts
      where event_id in (select id from made)`;
  });
  await sql`
    insert into audit_log (tenant_id, id, kind, outcome, actor_type, actor_id, address, user_agent, subject_type,
      subject_id, details, request_key, occurred_on)
    select ${api.tenantId}, id, 'SignIn.Succeeded', 'Success', 'User', n % 5000, '127.0.0.1', '', 'User', n % 5000, '{}',
      'key', uuid_extract_timestamp(id)
    from generate_series(1, ${Math.ceil(events / days / 10)}::int) n,
      lateral (select uuidv7(make_interval(secs => -86400.0 * (${daysAgo} + 1) + n * 5)) as id) i`;
}

/** Milliseconds of PostgreSQL's CPU for a change of a record that one receiver gets. */
async function costOfChanges(when: string): Promise<number> {
  await using receiver = startReceiver(200, { dataDir: stack.dataDir });
  const changer = await newTenant(stack);
  await changer.connect(receiver.url);
  const change = async (from: number, to: number) => {
    for (let number = from; number < to; number++) {
      await changer.change({ Name: "Gate", Description: String(number) });
      await Bun.sleep(CHANGE_PAUSE_MS);
    }
    await until("all to arrive", () => receiver.calls.length >= to);
  };
  await change(0, CHANGES / 3);
  await Bun.sleep(REST_MS);
  const resting = await cpuOf(stack, () => Bun.sleep(REST_MS));
  const busy = await cpuOf(stack, () => change(CHANGES / 3, CHANGES / 3 + CHANGES));
  const cost = ((busy.cpu - (resting.cpu / resting.seconds) * busy.seconds) * 1000) / CHANGES;
  console.log(`a change ${when}: ${cost.toFixed(2)} ms of PostgreSQL's CPU`);
  return cost;
}

async function cpuOf({ parts }: Stack, work: () => Promise<unknown>): Promise<{ cpu: number; seconds: number }> {
  const [before, startedAt] = [await cpuSeconds(parts.postgresql.pid!), performance.now()];
  await work();
  const cpu = (await cpuSeconds(parts.postgresql.pid!)) - before;
  return { cpu, seconds: (performance.now() - startedAt) / 1000 };
}

async function measurePages(): Promise<void> {
  const browser = new Visitor(stack.publicUrl);
  const entrance = await browser.open(`/settings?organisation=${api.tenantId}`);
  const { heading } = await browser.submit(entrance, api.tenant.admin);
  if (heading !== "Overview") throw new Error(`Signing in led to "${heading}".`);
  const [newest] = (await api.events("Limit=1")).Items;
  const [failed] = (await api.events("State=Exhausted&Limit=1")).Items;
  const [connection] = connectionIds[0]!;
  const long = new Date(Date.now() - (days / 2) * 86_400_000).toISOString();
  const pages: [string, string][] = [
    ["overview", "/settings"],
    ["webhooks", "/settings/webhooks"],
    ["a connection", `/settings/webhooks/${connection}`],
    ["a connection, 7 days", `/settings/webhooks/${connection}?Last=7d`],
    ["data", "/settings/data"],
    ["activity", "/settings/activity"],
    ["activity, a rare EventType", "/settings/activity?EventType=Deleted"],
    ["activity, an EventType that none has", "/settings/activity?EventType=Ping"],
    ["activity, a record", `/settings/activity?RecordId=${newest!.RecordId}`],
    ["activity, a record without events", "/settings/activity?RecordId=7"],
    ["activity, failed", "/settings/activity?State=Exhausted"],
    ["activity, cancelled", "/settings/activity?State=Cancelled"],
    ["activity, held", "/settings/activity?State=Held"],
    ["activity, a connection", `/settings/activity?ConnectionId=${connection}`],
    ["activity, a connection, failed", `/settings/activity?ConnectionId=${connection}&State=Exhausted`],
    ["activity, a connection, cancelled", `/settings/activity?ConnectionId=${connection}&State=Cancelled`],
    [`activity, until ${days / 2} days ago`, `/settings/activity?To=${long}`],
    ["an event", `/settings/activity/${newest!.EventId}`],
    ["a failed event", `/settings/activity/${failed!.EventId}`],
    ["audit log", "/settings/audit-log"],
    ["search, a part of a name", "/settings/search?q=receiver"],
  ];
  for (const [name, path] of pages) {
    await measure(name, async () => {
      const { status } = await browser.open(path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
    });
  }
}

/** Every list of the API, as its OpenAPI document names them. */
async function measureLists(): Promise<void> {
  const document = (await (await fetch(`${stack.url}/openapi.json`)).json()) as {
    paths: Record<string, { get?: { parameters?: { name?: string; $ref?: string }[] } }>;
  };
  const isList = ({ name, $ref }: { name?: string; $ref?: string }) => name === "Cursor" || $ref?.endsWith("/Cursor");
  const lists = Object.entries(document.paths)
    .filter(([path, { get }]) => !path.includes("{") && get?.parameters?.some(isList))
    .map(([path]) => path.replace(API, ""));
  if (lists.length === 0) throw new Error("The OpenAPI document names no list.");
  for (const path of lists) {
    const page = async (cursor: string | null) => {
      const answer = await api.get(`${path}?Limit=${PAGE}${cursor ? `&Cursor=${encodeURIComponent(cursor)}` : ""}`);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as { Next: string | null };
    };
    await measure(`GET ${path}`, () => page(null));
    let [last, next]: (string | null)[] = [null, (await page(null)).Next];
    let number = 1;
    for (; next && number < HUNDREDTH; number++) [last, next] = [next, (await page(next)).Next];
    if (last) await measure(`GET ${path}, page ${number}`, () => page(last));
  }
}

/** Half of the days are dropped during changes. */
async function measureDrop(): Promise<void> {
  const changer = await newTenant(stack);
  let [times, isOver]: [number[], boolean] = [[], false];
  const lane = async (_: unknown, number: number) => {
    while (!isOver) {
      const startedAt = performance.now();
      await changer.change({ Name: `Gate ${number}`, Description: String(startedAt) });
      times.push(performance.now() - startedAt);
      await Bun.sleep(CHANGE_PAUSE_MS);
    }
  };
  const lanes = Array.from({ length: CHANGERS }, lane);
  const show = (when: string) => {
    const [p50, p99, max] = [0.5, 0.99, 1].map((part) => quantile(times, part));
    const figures = `p50 ${p50!.toFixed(0)} ms, p99 ${p99!.toFixed(0)} ms, longest ${max!.toFixed(0)} ms`;
    console.log(`${when.padEnd(45)} ${figures} of ${times.length}`);
    times = [];
    return max!;
  };
  await Bun.sleep(USUAL_MS / 3);
  times = [];
  await Bun.sleep(USUAL_MS);
  const usual = show("changes, usual");
  const age = (days / 2) * 86_400_000;
  const kept = { log: age, payloads: age, audit: age };
  const deadline = new Date(Date.now() + 600_000);
  const { partitions, partitions_busy } = await removeExpiredLogs(sql, kept, createLog("silent", "worker"), deadline);
  const longest = show(`changes, while ${partitions} partitions are dropped`);
  if (partitions_busy > 0) console.log(`${partitions_busy} partitions were in use`);
  if (longest - usual > MAX_WAIT_MS) console.log(`waits over ${MAX_WAIT_MS} ms`);
  isOver = true;
  await Promise.all(lanes);
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await work();
    if (round >= 0) times.push(performance.now() - startedAt);
  }
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const figures = `p50 ${p50.toFixed(0).padStart(5)} ms, p99 ${p99.toFixed(0).padStart(5)} ms`;
  console.log(`${name.padEnd(45)} ${figures}${p99 < AIM_MS ? "" : `  over ${AIM_MS} ms`}`);
}

function quantile(times: number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * part) - 1]!;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
