// A monitored Gatehouse: the API and the worker each have a metrics port.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { isTaken } from "../../server/appliance/embedded/ports.ts";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { migrationNames } from "../../server/platform/db/migrate.ts";
import { readPage } from "../support/pages.ts";
import { type Samples, scrape, sum } from "../support/scrape.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Api, ok, until } from "../world/api.ts";
import { DEVICE_PATH, typeCode } from "../world/device.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const API_ROUTE = "/Endpoint/rest/api/v1";

let stack: Stack;
let port: number;
const ofApi = () => scrape(`http://127.0.0.1:${port}/metrics`);
const ofWorker = () => scrape(`http://127.0.0.1:${port + 1}/metrics`);
const receiver = (reply: Parameters<typeof startReceiver>[0]) =>
  startReceiver(reply, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });

beforeAll(async () => {
  port = await twoFreePorts();
  stack = await startStack({ env: { METRICS_PORT: String(port), WEBHOOK_TIMEOUT: "1s" } });
});
afterAll(() => stack?.stop());

test("`start` prints the address of the metrics", () => {
  expect(stack.said).toContain(`metrics       127.0.0.1:${port} (API) and ${port + 1} (worker)`);
});

test("decisions, windows, maintenance, workers and the build are measured", async () => {
  const api = await newTenant(stack);
  await using hook = receiver(200);
  const before = await ofApi();
  await api.connect(hook.url);
  await api.settledChange({ Name: "Gate" });
  const after = await ofApi();
  const decided = (result: string) => grown(before, after, "gatehouse_policy_decisions_total", { result });
  expect(decided("Allowed")).toBeGreaterThanOrEqual(2);
  const evaluated = grown(before, after, "gatehouse_policy_evaluation_duration_seconds_count");
  expect(evaluated).toBeGreaterThanOrEqual(2);
  expect(evaluated).toBeLessThanOrEqual(decided("Allowed") + decided("Denied"));

  const worker = await until("maintenance", () =>
    ofWorker().then((one) => one.has('gatehouse_retention_removed_total{what="sessions"}') && one),
  );
  expect(sum(worker, "gatehouse_webhook_windows", { speed: "Quick" })).toBeGreaterThanOrEqual(1);
  expect(sum(worker, "gatehouse_webhook_window_places", { state: "Free" })).toBeGreaterThanOrEqual(2);
  expect(sum(worker, "gatehouse_webhook_window_waiting")).toBe(0);
  for (const samples of [after, worker]) {
    expect(sum(samples, "gatehouse_workers")).toBe(1);
    expect(sum(samples, "gatehouse_retention_overdue")).toBe(0);
    expect(sum(samples, "gatehouse_postgresql_disk_full")).toBe(0);
    const ages = ["EdDSA", "RS256", "ES256"].map((alg) =>
      samples.get(`gatehouse_signing_key_age_seconds{alg="${alg}"}`),
    );
    for (const age of ages) expect(age).toBeWithin(0, 3_600);
    const build = `gatehouse_build_info{version="${version}",schema="${(await migrationNames()).at(-1)!.slice(0, -4)}"}`;
    expect(samples.get(build)).toBe(1);
  }
  const pools = (samples: Samples) =>
    [...samples.keys()].filter((one) => one.startsWith("gatehouse_postgresql_connections_max"));
  expect(pools(after)).toEqual(['gatehouse_postgresql_connections_max{pool="api"}']);
  expect(pools(worker)).toHaveLength(3);
});

test("a change is counted at each step: accepted, dispatched, attempted, delivered", async () => {
  const api = await newTenant(stack);
  await using failing = receiver([500, 200]);
  await using gone = receiver(410);
  await using silent = receiver(["hang", 200]);
  for (const { url } of [failing, gone, silent]) await api.connect(url);
  const [before, workerBefore] = await Promise.all([ofApi(), ofWorker()]);
  await api.change({ Name: "Gate" });
  await api.settledChange({ Name: "Gate" });
  // A test event is dispatched, but its failure does not count.
  await using tried = receiver(500);
  const { Id } = await api.connect(tried.url, { Entities: ["User"] });
  await api.settled(await api.ping(Id));
  const [after, worker] = await Promise.all([ofApi(), ofWorker()]);

  const accepted = { event_record: "Application", event_type: "Created" };
  expect(grown(before, after, "gatehouse_webhook_events_accepted_total", accepted)).toBe(1);
  expect(grown(before, after, "gatehouse_webhook_events_accepted_total")).toBe(1);
  const request = { method: "PATCH", route: `${API_ROUTE}/Application`, status: "200" };
  expect(grown(before, after, "gatehouse_http_request_duration_seconds_count", request)).toBe(2);

  const growth = (name: string, labels?: Record<string, string>) => grown(workerBefore, worker, name, labels);
  expect(growth("gatehouse_webhook_dispatch_duration_seconds_count")).toBe(2);
  const results = ["2xx", "4xx", "5xx", "timeout"].map((result) =>
    growth("gatehouse_webhook_attempts_total", { result }),
  );
  expect(results).toEqual([2, 1, 1, 1]);
  expect(growth("gatehouse_webhook_attempt_duration_seconds_count")).toBe(5);
  const ends = ["Delivered", "Exhausted", "Cancelled"].map((state) =>
    growth("gatehouse_webhook_deliveries_total", { state }),
  );
  expect(ends).toEqual([2, 1, 0]);
  expect(growth("gatehouse_webhook_end_to_end_duration_seconds_count")).toBe(2);
  const seconds = growth("gatehouse_webhook_end_to_end_duration_seconds_sum");
  expect(seconds).toBeGreaterThan(1.2);
  expect(seconds).toBeLessThan(30);
});

test("a logout is counted at each step: attempted, delivered, exhausted", async () => {
  const api = await newTenant(stack);
  await using failing = receiver([500, 200]);
  await using gone = receiver(410);
  const workerBefore = await ofWorker();
  const growth = async (name: string, labels: Record<string, string>) =>
    grown(workerBefore, await ofWorker(), name, labels);
  const ended = (state: string) => growth("gatehouse_logouts_total", { state });
  await signInAndOut(api, failing.url);
  await until("it to be delivered", async () => (await ended("Delivered")) === 1);
  await signInAndOut(api, gone.url);
  await until("it to be exhausted", async () => (await ended("Exhausted")) === 1);
  const results = ["2xx", "4xx", "5xx"].map((result) => growth("gatehouse_logout_attempts_total", { result }));
  expect(await Promise.all(results)).toEqual([1, 1, 1]);
});

/** With a client that has this address for logout tokens. */
async function signInAndOut(api: Api, BackchannelLogoutUri: string): Promise<void> {
  const { client, admin } = api.tenant;
  const [redirect_uri] = client.redirectUris;
  await ok(
    api.call("PATCH", `/Application/${client.clientId}/Credentials`, { BackchannelLogoutUri, FirstParty: true }),
  );
  const visitor = new Visitor(stack.url);
  const asked = { response_type: "code", client_id: client.clientId, redirect_uri: redirect_uri!, scope: "openid" };
  const { location } = await visitor.submit(
    await visitor.open(`/oauth2/authorize?${new URLSearchParams(asked)}`),
    admin,
  );
  expect(location!.searchParams.get("code")).toBeString();
  const question = await visitor.open("/oauth2/logout");
  expect((await visitor.submit(question)).heading).toBe("Signed out");
}

test("a device's sign-in is counted at each step", async () => {
  const api = await newTenant(stack);
  const { client, admin } = api.tenant;
  const { clientId: client_id, clientSecret: client_secret } = client;
  await ok(
    api.call("PATCH", `/Application/${client_id}/Credentials`, { GrantTypes: [DEVICE_GRANT, "client_credentials"] }),
  );
  const before = await ofApi();
  const visitor = new Visitor(stack.url);
  const answer = async (decision: string) => {
    const body = new URLSearchParams({ client_id, client_secret });
    const { user_code } = await (await fetch(`${stack.url}${DEVICE_PATH}`, { method: "POST", body })).json();
    const waiting = await until("it to wait", () =>
      ofApi().then((one) => sum(one, "gatehouse_devices_waiting") && one),
    );
    expect(sum(waiting, "gatehouse_devices_waiting")).toBe(1);
    const page = await typeCode(visitor, user_code);
    const question = page.heading === "Sign in" ? await visitor.submit(page, admin) : page;
    expect((await visitor.submit(question, { decision })).status).toBe(200);
    await until("none to wait", async () => sum(await ofApi(), "gatehouse_devices_waiting") === 0);
  };
  await answer("allow");
  await answer("deny");
  expect((await typeCode(visitor, "BBBB-BBBB")).status).toBe(422);
  const after = await ofApi();
  const steps = ["Begun", "Refused", "WrongCode", "Allowed", "Denied"].map((step) =>
    grown(before, after, "gatehouse_device_sign_ins_total", { step }),
  );
  expect(steps).toEqual([2, 0, 1, 1, 1]);
});

test("docs/operations.md lists exactly our metrics, with the process that exports each", async () => {
  const page = readPage("docs/operations.md");
  const rows = [...page.matchAll(/^\| `(gatehouse_[a-z_]+)[^|]*\| (API|worker|all|each) \|/gm)];
  const toldBy = (process: string) => rows.filter(([, , of]) => [process, "all", "each"].includes(of!));
  // Declared ones, because a metric with labels may have no series yet.
  const measured = async (at: number) => {
    const text = await (await fetch(`http://127.0.0.1:${at}/metrics`)).text();
    return namesOf([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
  };
  expect(await measured(port)).toEqual(namesOf(toldBy("API").map(([, name]) => name!)));
  expect(await measured(port + 1)).toEqual(namesOf(toldBy("worker").map(([, name]) => name!)));
  expect(namesOf(page.match(/gatehouse_[a-z_]+/g)!)).toEqual(namesOf(rows.map(([, name]) => name!)));
});

test("waiting deliveries are counted while no worker runs, with the age of the oldest", async () => {
  const api = await newTenant(stack);
  await using hook = receiver(200);
  const { Id } = await api.connect(hook.url, { Events: ["Updated"] });
  await api.connect(hook.url, { Events: ["Created"] });
  await api.settledChange({ Name: "Gate" });
  await api.setState(Id, "Paused");
  await api.change({ Name: "Gate", Description: "changed" });
  await stack.parts.worker.stop();
  await api.change({ Name: "Waiting" });
  await signInAndOut(api, hook.url);
  const isTold = (one: Samples) => oldestPending(one) > 0 && oldestLogout(one) > 0;
  const samples = await until("the backlog", () => ofApi().then((one) => isTold(one) && one));
  expect(sum(samples, "gatehouse_logout_backlog", { state: "Pending" })).toBe(1);
  expect(sum(samples, "gatehouse_postgresql_up")).toBe(1);
  expect(sum(samples, "gatehouse_webhook_backlog", { state: "Pending" })).toBe(1);
  expect(sum(samples, "gatehouse_webhook_backlog", { state: "Held" })).toBe(1);
  expect(sum(samples, "gatehouse_webhook_connections", { state: "Paused" })).toBe(1);
  expect(sum(samples, "gatehouse_webhook_dispatches_waiting")).toBeGreaterThanOrEqual(1);
  expect(sum(samples, "gatehouse_webhook_oldest_dispatch_seconds")).toBeGreaterThan(0);
  expect(sum(samples, "gatehouse_webhook_oldest_undelivered_seconds", { state: "Retrying" })).toBe(0);
  await stack.parts.worker.start();
  await until("both to go", () => ofApi().then((one) => oldestPending(one) === 0 && oldestLogout(one) === 0));
  expect(sum(await ofApi(), "gatehouse_webhook_oldest_dispatch_seconds")).toBe(0);
});

test("without PostgreSQL a scrape is answered, without figures of the backlog", async () => {
  await stack.parts.postgresql.stop();
  try {
    for (const scraped of [ofApi, ofWorker]) {
      const samples = await until("the loss to show", () =>
        scraped().then((one) => one.get("gatehouse_postgresql_up") === 0 && one),
      );
      const backlog = [...samples.keys()].filter((series) =>
        /^gatehouse_(webhook_(backlog|oldest|dispatches|connections)|logout_(backlog|oldest)|devices_|workers|retention_overdue|signing_)/.test(
          series,
        ),
      );
      expect(backlog).toEqual([]);
    }
  } finally {
    await stack.parts.postgresql.start();
  }
});

test("labels never contain values from callers or tenants", async () => {
  const api = await newTenant(stack);
  await using hook = receiver(200);
  const { Id } = await api.connect(hook.url);
  const { EventId } = await api.settledChange({ Name: "Ada's gate" });
  await fetch(`${stack.url}/nothing/ada-was-here`);
  await fetch(`${stack.url}${API_ROUTE}/User/ada?Name=Username`, { headers: { authorization: api.authorization } });
  await fetch(`${stack.url}/healthz`, { method: "PROPFIND" });
  await until("the requests to be counted", async () =>
    [...(await ofApi()).keys()].some((series) => series.includes('method="other",route="/healthz",status="405"')),
  );

  const text = JSON.stringify([...(await ofApi()).keys(), ...(await ofWorker()).keys()]);
  const { tenantId, client } = api.tenant;
  for (const word of [tenantId, client.clientId, Id, EventId, "ada", "Ada", "PROPFIND", "localhost"]) {
    expect(text).not.toContain(word === client.clientId ? `"${word}"` : word);
  }
});

/** Our own metrics, each once; a histogram has several series. */
function namesOf(series: string[]): string[] {
  const names = series.map((one) => one.split("{")[0]!.replace(/_(bucket|sum|count)$/, ""));
  return [...new Set(names.filter((name) => name.startsWith("gatehouse_")))].sort();
}

const oldestLogout = (samples: Samples) => sum(samples, "gatehouse_logout_oldest_undelivered_seconds");
const oldestPending = (samples: Samples) =>
  sum(samples, "gatehouse_webhook_oldest_undelivered_seconds", { state: "Pending" });

function grown(before: Samples, after: Samples, name: string, labels?: Record<string, string>): number {
  return sum(after, name, labels) - sum(before, name, labels);
}

async function twoFreePorts(): Promise<number> {
  for (let first = 10_000 + Math.floor(Math.random() * 10_000); ; first += 2) {
    if (!(await isTaken(first, "127.0.0.1")) && !(await isTaken(first + 1, "127.0.0.1"))) return first;
  }
}
