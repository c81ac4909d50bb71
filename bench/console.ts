// Response times of the console's pages for a tenant with 100,000 users, and with 100,000 deliveries and 10,000 sign-ins
// of the last day. Measured from the request to the complete page, by a client on the same machine.
//
//   bun run bench console

import { loadavg } from "node:os";
import { DAY_MS } from "../server/platform/durations.ts";
import { signIn } from "../test/world/api.ts";
import { fill } from "../test/world/rows.ts";
import { Visitor } from "../test/world/visitor.ts";
import type { DeliveryState } from "../workflows/contract.ts";
import { startOwnApi } from "./own-api.ts";

const CONNECTIONS = 10;
const EVENTS = 10_000;
const USERS = 100_000;
const SIGN_INS = 10_000;
/** No receiver listens at this address. Without a worker, nothing is sent. */
const RECEIVER = "127.0.0.1:8443";
const WARM_UP = 10;
const ROUNDS = 40;
const AIM_MS = 100;

await using api = await startOwnApi({ EGRESS_ALLOW: RECEIVER });
const { url, sql, tenant } = api;
const client = await signIn(url, tenant);
const connectionIds: string[] = [];
for (let number = 1; number <= CONNECTIONS; number++) {
  const { Id } = await client.connect(`https://${RECEIVER}/${number}`, { Name: `Receiver ${number}`, Secret: "bench" });
  connectionIds.push(Id);
}
await fill(sql, { tenantId: tenant.tenantId, connectionIds, events: EVENTS, spanMs: DAY_MS, stateOf });
await sql`
  insert into users (tenant_id, name, username, email)
  select ${tenant.tenantId}, 'Person ' || n, 'person-' || n, 'person-' || n || '@example.com'
  from generate_series(1, ${USERS}::int) n`;
await sql`
  insert into audit_log (tenant_id, id, kind, outcome, actor_type, actor_id, address, user_agent, subject_type, subject_id,
    details, request_key, occurred_on)
  select ${tenant.tenantId}, gen_random_uuid(), kind, case kind when 'SignIn.Succeeded' then 'Success' else 'Failure' end,
    'User', n % 5000, '127.0.0.1', '', 'User', n % 5000, case n % 3 when 0 then '{"Amr": ["mfa"]}'::jsonb else '{}' end, 'key',
    now() - make_interval(secs => n * 86400.0 / ${SIGN_INS}::int)
  from generate_series(1, ${SIGN_INS}::int) n,
    lateral (select case when n % 40 = 0 then 'SecondFactor.Failed' when n % 11 = 0 then 'SignIn.Failed' else 'SignIn.Succeeded' end as kind) k`;
await sql`
  insert into issued_tokens (tenant_id, hour, grant_type, count)
  select ${tenant.tenantId}, date_trunc('hour', now()) - make_interval(hours => hours), grant_type, hours * 12345
  from generate_series(1, 24) hours, unnest(array['client_credentials', 'authorization_code', 'refresh_token', 'device_code',
    'token-exchange']) grant_type`;
await sql`analyze users, audit_log, issued_tokens`;
const { Items } = await client.events("State=Exhausted&Limit=1");
const [rare] = connectionIds;
const noon = new Date(Date.now() - DAY_MS / 2).toISOString();

const browser = new Visitor(url);
const { heading } = await browser.submit(await browser.open(`/settings?organisation=${tenant.tenantId}`), tenant.admin);
if (heading !== "Overview") throw new Error(`Signing in led to "${heading}".`);

const PAGES: [name: string, path: string][] = [
  ["overview", "/settings"],
  ["webhooks", "/settings/webhooks"],
  ["a connection", `/settings/webhooks/${rare}`],
  ["a connection, 7 days", `/settings/webhooks/${rare}?Last=7d`],
  ["redeliveries", "/settings/redeliveries"],
  ["activity, first page", "/settings/activity"],
  ["activity, 200 a page", "/settings/activity?Limit=200"],
  ["activity, of a rare state", "/settings/activity?State=Retrying"],
  ["activity, of a state without deliveries", "/settings/activity?State=Cancelled"],
  ["activity, of a connection and a state", `/settings/activity?ConnectionId=${rare}&State=Exhausted`],
  ["activity, of an entity with no events", "/settings/activity?EventRecord=Department"],
  ["activity, of a record", `/settings/activity?RecordId=${Items[0]!.RecordId}`],
  ["activity, of a record with no events", "/settings/activity?RecordId=7"],
  ["search, a part of a name", "/settings/search?q=receiver"],
  ["search, without a match", "/settings/search?q=nobody"],
  ["search, the last user", `/settings/search?q=person-${USERS}%40`],
  ["activity, before the last twelve hours", `/settings/activity?To=${noon}`],
  ["an event, ten deliveries", `/settings/activity/${Items[0]!.EventId}`],
];

const count = (number: number) => number.toLocaleString("en");
console.log(
  `${count(EVENTS * CONNECTIONS)} deliveries of ${count(EVENTS)} events, ${count(USERS)} users, ${count(SIGN_INS)} sign-ins\n`,
);
for (const [name, path] of PAGES) {
  const times: number[] = [];
  let size = 0;
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const page = await browser.open(path);
    if (round >= 0) times.push(performance.now() - startedAt);
    if (page.status !== 200) throw new Error(`${path}: ${page.status}`);
    size = page.html.length;
  }
  times.sort((a, b) => a - b);
  const [median, slow] = [times[ROUNDS / 2]!, times[Math.floor(ROUNDS * 0.95)]!];
  const verdict = median < AIM_MS ? "" : `  over ${AIM_MS} ms`;
  const [min, middle, max] = [times[0]!, median, slow].map((time) => time.toFixed(0).padStart(5));
  const figures = `${middle} ms (least ${min}, 95 % ${max})`;
  console.log(`${name.padEnd(40)} ${figures}  ${(size / 1024).toFixed(0).padStart(4)} KiB${verdict}`);
}
console.log(`\nmedian of ${ROUNDS}, load average ${loadavg()[0]!.toFixed(1)}`);

/** Mostly Delivered; the newest are Pending or Retrying. */
function stateOf(event: number): DeliveryState {
  if (event >= EVENTS - 20) return "Retrying";
  if (event % 100 === 0) return "Exhausted";
  return event % 500 === 1 ? "Held" : "Delivered";
}
