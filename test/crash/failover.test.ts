// A failover that ends no session: open ones stay with the former primary, new ones reach its successor.

import { expect, test } from "bun:test";
import { createKeyRotation } from "../../server/identity/oauth/keys/key-rotation.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { listen } from "../../server/platform/db/watch.ts";
import { createVault } from "../../server/platform/vault.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { type Pair, startPair } from "../support/pair.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { startRelay } from "../support/relay.ts";
import { startStack } from "../support/stack.ts";
import { saw } from "../support/until.ts";
import { type Api, signIn, until } from "../world/api.ts";
import { sessionOf, sleep } from "../world/postgresql.ts";
import { connected, type Receiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant, setting, shared } from "../world/tenant.ts";

/** Measured from the moment when new connections reach a writable server: 2 s, and more while other tests run. */
const BACK_MS = 60_000;
/** For statements whose answer never arrives. */
const SILENT_MS = 90_000;
/** Changes that have not arrived. With more, a change after a failover would wait for minutes on a slow machine. */
const MAX_BEHIND = 50;

test("soon after a failover the API writes again and receives notifications, though its sessions never ended", async () => {
  await using pair = await startPair();
  const masterKey = setting("GATEHOUSE_TEST_MASTER_KEY");
  const keys = connect(pair.primaryUrl, "gatehouse test", 1);
  await createKeyRotation(keys, createVault(masterKey)).run();
  await keys.end();
  await using app = startPrivateApp({}, "info", pair.relay);
  const api = await newTenant({ url: app.url, databaseUrl: pair.primaryUrl });
  await Promise.all(Array.from({ length: 20 }, () => api.call("GET", "/Application")));
  const { Id } = await api.change({ Name: "Gate" });

  await pair.demote();
  const change = () => api.call("PATCH", "/Application", { Id, Description: "after" });
  const refused = await change();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(refused.body).toMatchObject({ Errors: [expect.stringContaining("temporarily read-only")] });
  expect((await api.call("GET", `/Application/${Id}`)).status).toBe(200);
  await pair.promote();
  pair.lead();
  const led = performance.now();
  await until("a change to be made", async () => (await change()).status === 200);
  expect(performance.now() - led).toBeLessThan(BACK_MS);
  await until("the app to be ready", async () => {
    const { postgresql } = (await (await fetch(`${app.url}/readyz`)).json()) as { postgresql: string };
    return postgresql === "up";
  });
  await untilAllLeave(pair);

  // Changes by other processes are noticed.
  await using other = startPrivateApp({}, "info", { databaseUrl: pair.standbyUrl });
  const elsewhere = await signIn(other.url, api.tenant);
  expect((await api.call("GET", `/Application/${Id}`)).status).toBe(200);
  await elsewhere.call("POST", "/Policy", {
    Name: "None",
    Policy: "forbid (principal, action, resource is Application);",
  });
  const saved = performance.now();
  await until("it to be heard of", async () => (await api.call("GET", `/Application/${Id}`)).status !== 200);
  expect(performance.now() - saved).toBeLessThan(BACK_MS);
  expect(app.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

/** Waits while the receiver is far behind. */
function paced(api: Api, receiver: Receiver): Pick<Api, "change"> {
  let made = 0;
  return {
    async change(fields) {
      await until("the receiver to catch up", () => made - receiver.calls.length < MAX_BEHIND);
      const changed = await api.change(fields);
      made++;
      return changed;
    },
  };
}

/** Also sessions that nothing uses. Maintenance, whose statements may take minutes, waits for an answer as long. */
async function untilAllLeave({ primaryUrl }: Pair): Promise<void> {
  const former = connect(primaryUrl, "look", 1);
  await until("no session to be left behind", async () => {
    const all = await rowsOf("pg_stat_activity", {}, former);
    const left = all.filter(({ application_name: name }) => name?.match(/^gatehouse (?!maintenance)/));
    saw("sessions", () => JSON.stringify(left));
    return left.length === 0;
  });
  await former.end();
}

/** The state of open sessions, and the time until changes work again. */
const FAILOVERS: [string, (pair: Pair) => Promise<void>, number][] = [
  ["whose sessions stay open and take no writes", (pair) => pair.demote(), BACK_MS],
  // As after the loss of the machine: statements wait for their answers.
  ["whose sessions lead nowhere", async (pair) => pair.relay.strand(), SILENT_MS],
  ["whose sessions are cut", async (pair) => pair.relay.cut(), BACK_MS],
];

test.each(FAILOVERS)("a failover under load, %s, loses no change, and webhooks continue", async (_, fail, backMs) => {
  await using pair = await startPair();
  const env = { DATABASE_URL: pair.relay.databaseUrl, MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY") };
  await using stack = await startStack({ env });
  const pids = [stack.parts.api.pid, stack.parts.worker.pid];
  const api = await newTenant({ url: stack.url, databaseUrl: pair.primaryUrl });
  await using receiver = await connected(api, 200, { dataDir: setting("GATEHOUSE_TEST_DATA_DIR") });
  const load = { ended: false };
  const changing = makeChanges(paced(api, receiver), () => load.ended, 2);
  const change = async (Name: string) => (await api.call("PATCH", "/Application", { Name })).status;
  const isDelivered = (name: string) => receiver.calls.some(({ payload }) => payload.Data.Name === name);
  await until("the load to be under way", () => receiver.calls.length >= 20);

  await fail(pair);
  expect(await change("refused")).toBe(503);
  await pair.promote();
  pair.lead();
  const led = performance.now();
  await until("a change to be made", async () => (await change("made")) === 200);
  expect(performance.now() - led).toBeLessThan(backMs);
  await until("it to be delivered", () => isDelivered("made"));
  await untilAllLeave(pair);
  load.ended = true;
  const committed = await changing;

  expect(await settleLedger("failover in mid-load", [...committed, "made"], receiver)).toMatchObject({ lost: 0 });
  await untilLogSaysDelivered(api);
  expect([stack.parts.api.pid, stack.parts.worker.pid]).toEqual(pids);
  await until("all to be ready", async () => (await stack.readiness()).status === "ready");
});

test("a listener on a standby receives notifications after promotion, though its session never ended", async () => {
  await using pair = await startPair();
  const sql = connect(pair.standbyUrl, "gatehouse test", 1);
  let heard = 0;
  const stop = listen(sql, "gatehouse_test", () => void heard++);
  await until("it to be refused", async () => (await sql`listen other`.catch(({ code }) => code)) === "25006");
  await pair.demote();
  await pair.promote();
  await until("it to listen", () => heard === 1);
  await until("a notice to be heard", async () => {
    await sql.notify("gatehouse_test", "").catch(() => {});
    return heard > 1;
  });
  await stop();
  await sql.end();
});

test("after one session got no answer in time, unused ones end too", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  const name = `gatehouse silent ${crypto.randomUUID()}`;
  const sql = connect(relay.databaseUrl, name, 5, { answer_timeout: 1 });
  await Promise.all(Array.from({ length: 5 }, () => sql.begin((tx) => sleep(tx, 0.2))));
  const sessions = async () => (await rowsOf("pg_stat_activity", { application_name: name })).length;
  expect(await sessions()).toBe(5);
  relay.strand();
  expect(await sessionOf(sql).catch(({ code }) => code)).toBe("CONNECTION_DESTROYED");
  await until("all to end", async () => (await sessions()) === 0);
  relay.mend();
  expect(await sessionOf(sql)).toBeGreaterThan(0);
  await sql.end();
});

test("while PostgreSQL is read-only, reads continue, also in transactions, and sessions are short", async () => {
  const url = `${shared().databaseUrl}&options=${encodeURIComponent("-c default_transaction_read_only=on")}`;
  const sql = connect(url, "gatehouse test", 2);
  const sessions = new Set<number>();
  const long = sql.begin(async (tx) => {
    const first = await sessionOf(tx);
    await sleep(tx, 3);
    return [first, await sessionOf(tx)];
  });
  let done = false;
  void long.finally(() => {
    done = true;
  });
  while (!done) {
    sessions.add(await sessionOf(sql));
    await Bun.sleep(20);
  }
  const [first, second] = await long;
  expect(second).toBe(first!);
  expect(sessions.size).toBeGreaterThan(1);
  expect(sessions.size).toBeLessThan(8);
  await sql.end({ timeout: 1 });
});
