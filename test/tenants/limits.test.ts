// The limits of a tenant over several API processes, each with its own memory and pool.

import { describe, expect, test } from "bun:test";
import { measureCounts } from "../../server/platform/limits/index.ts";
import { ENTITY_TABLES } from "../../server/records/entities/registry.ts";
import { percentile } from "../support/drill.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { type Answer, type Api, expectError, signIn, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { startReceiver } from "../world/receiver.ts";
import { rowsOf, setRows } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** The admin and two applications. */
const OF_NEW_TENANT = 3;
const SETTINGS = "/TenantSettings";
/** The rate limit of a client must not hide that of its tenant. */
const UNLIMITED = { rateLimit: { perSecond: 100_000, burst: 100_000 } };

/** Clients of one tenant with limits at two processes. */
async function twoProcesses(limits: Record<string, number>) {
  const apps = [startPrivateApp(UNLIMITED), startPrivateApp(UNLIMITED)] as const;
  const made = await newTenant();
  await limit(made, limits);
  const { tenant } = made;
  const [one, other] = await Promise.all(apps.map(({ url }) => signIn(url, tenant)));
  return {
    one: one!,
    other: other!,
    async [Symbol.asyncDispose]() {
      for (const app of apps) await app[Symbol.asyncDispose]();
    },
  };
}

async function limit(api: Api, limits: Record<string, number | null>): Promise<void> {
  const { status, body } = await api.patch(SETTINGS, limits);
  expect([status, body]).toEqual([200, expect.objectContaining(limits)]);
}

const records = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ Name: `record ${first + index}` }));
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);
const countOf = (values: number[], status: number) => values.filter((value) => value === status).length;

/** As clients do, repeats what a busy machine could not finish in time. */
const patched = (api: Api, path: string, input: unknown) =>
  until("an answer", async () => {
    const answer = await api.patch(path, input);
    return answer.status !== 503 && answer;
  });

async function recordsOf({ tenantId }: Api): Promise<number> {
  const all = ["users", "applications", "departments"].map((table) => rowsOf(table, { tenant_id: tenantId }));
  return (await Promise.all(all)).flat().length;
}

describe.concurrent("records", () => {
  test("50 parallel arrays at two processes never exceed the limit, and another tenant is not affected", async () => {
    const [room, each] = [1_000, 200];
    await using processes = await twoProcesses({ MaxRecords: OF_NEW_TENANT + room });
    const { one, other } = processes;
    const neighbour = await signIn(one.url, (await newTenant()).tenant);
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        patched(
          index % 2 ? one : other,
          ["/Application", "/User", "/Department"][index % 3]!,
          records(index * each, each),
        ),
      ),
    );
    const waits: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const began = performance.now();
      await neighbour.change({ Name: `Gate ${turn}` });
      waits.push(performance.now() - began);
    }
    const answers = await writing;
    expect(countOf(statuses(answers), 200)).toBe(room / each);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ Type: "/Errors/Conflict", StatusCode: 409 });
      expect(answer.body.Errors).toEqual([
        expect.stringMatching(/^Record \d+: This tenant has reached its limit MaxRecords: 1003 records\. Delete/),
      ]);
    }
    expect(await recordsOf(one)).toBe(OF_NEW_TENANT + room);
    expect(percentile(waits, 0.5)).toBeLessThan(5_000);
  });

  test("single records of many callers stop exactly at the limit, over all entities", async () => {
    await using processes = await twoProcesses({ MaxRecords: OF_NEW_TENANT + 10 });
    const { one, other } = processes;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        patched([one, other][index % 2]!, ["/Application", "/User", "/Department"][index % 3]!, {
          Name: `single ${index}`,
        }),
      ),
    );
    expect([countOf(statuses(answers), 200), countOf(statuses(answers), 409)]).toEqual([10, 50]);
    expect(await recordsOf(one)).toBe(OF_NEW_TENANT + 10);
  });

  test("at the limit existing records can be changed and deleted, and a deletion makes room", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "first" });
    await limit(api, { MaxRecords: OF_NEW_TENANT + 1 });
    expectError(await api.patch("/User", { Name: "second" }), 409, "Conflict", /MaxRecords: 4 records/);
    expect((await api.patch("/Application", { Id, Description: "changed" })).status).toBe(200);
    expect((await api.patch("/Application", [{ Id, Description: "changed again" }])).status).toBe(200);
    expect((await api.remove(`/Application/${Id}`)).status).toBe(200);
    expect((await api.patch("/User", { Name: "second" })).status).toBe(200);
    expect((await api.patch("/User", { Name: "third" })).status).toBe(409);
  });

  test("a limit below what is used removes nothing, and raising it takes effect at once", async () => {
    const api = await newTenant();
    await api.patch("/Application", records(0, 5));
    await limit(api, { MaxRecords: 2 });
    expect(await recordsOf(api)).toBe(OF_NEW_TENANT + 5);
    expect((await api.patch("/Department", { Name: "Sales" })).status).toBe(409);
    await limit(api, { MaxRecords: OF_NEW_TENANT + 6 });
    expect((await api.patch("/Department", { Name: "Sales" })).status).toBe(200);
    await limit(api, { MaxRecords: null });
    expect((await api.patch("/Department", { Name: "Support" })).status).toBe(200);
  });
});

describe.concurrent("connections", () => {
  test("parallel callers stop exactly at the limit; a deleted connection makes room", async () => {
    await using processes = await twoProcesses({ MaxConnections: 3 });
    const { one, other } = processes;
    const body = { URL: "https://receiver.example/", Entities: ["Application"], Events: ["Created"] };
    const make = (api: Api) => api.patch("/WebhookConnection", body);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => make(index % 2 ? one : other)));
    expect([countOf(statuses(answers), 200), countOf(statuses(answers), 409)]).toEqual([3, 9]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body.Errors).toEqual([expect.stringContaining("limit MaxConnections: 3 webhook connections")]);
    const { Id } = answers.find(({ status }) => status === 200)!.body;
    expect((await one.patch("/WebhookConnection", { Id, State: "Paused" })).status).toBe(200);
    expect((await make(one)).status).toBe(409);
    expect((await one.remove(`/WebhookConnection/${Id}`)).status).toBe(200);
    expect((await make(other)).status).toBe(200);
  });
});

describe.concurrent("events a day", () => {
  test("are counted over all processes; deletions are always admitted", async () => {
    await using processes = await twoProcesses({ MaxEventsPerDay: 30 });
    const { one, other } = processes;
    const { Id } = await one.change({ Name: "first" });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => one.patch("/User", { Name: `u ${index}` })),
    );
    expect([countOf(statuses(answers), 200), countOf(statuses(answers), 429)]).toEqual([29, 31]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ Type: "/Errors/Too Many Requests" });
    expect(refused.body.Errors).toEqual([expect.stringContaining("limit MaxEventsPerDay: 30 events a day")]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 86_401);
    // An array is one event.
    expect((await one.patch("/User", records(0, 2))).status).toBe(429);
    await until("the other process to know", async () => (await other.patch("/User", { Name: "late" })).status === 429);
    expect((await one.get("/User")).status).toBe(200);
    expect((await one.remove(`/Application/${Id}`)).status).toBe(200);
    await limit(one, { MaxEventsPerDay: 1_000 });
    expect((await one.patch("/User", { Name: "more" })).status).toBe(200);
  });

  test("of a process that has ended still count", async () => {
    const { tenant } = await newTenant();
    {
      await using app = startPrivateApp();
      const api = await signIn(app.url, tenant);
      await limit(api, { MaxEventsPerDay: 5 });
      for (let index = 0; index < 5; index++) await api.change({ Name: `c ${index}` });
      await until("it to report", async () => {
        const usage = await rowsOf<{ events: number }>("tenant_usage", { tenant_id: tenant.tenantId });
        return usage.reduce((sum, { events }) => sum + events, 0) === 5;
      });
    }
    await using next = startPrivateApp();
    const api = await signIn(next.url, tenant);
    expect((await api.patch("/Application", { Name: "c 6" })).status).toBe(429);
  });
});

describe("requests a second", () => {
  test("two processes together stay at the limit, and another tenant is served", async () => {
    const perSecond = 20;
    await using processes = await twoProcesses({ MaxRequestsPerSecond: perSecond });
    const { one, other } = processes;
    const neighbour = await signIn(one.url, (await newTenant()).tenant);
    const served: number[] = [];
    let refused: Answer | undefined;
    const end = performance.now() + 7_000;
    const flood = async (api: Api) => {
      while (performance.now() < end) {
        const answer = await api.get("/Entities");
        if (answer.status === 200) served.push(performance.now());
        else refused = answer;
      }
    };
    const neighbours: number[] = [];
    const quiet = async () => {
      while (performance.now() < end) neighbours.push((await neighbour.get("/Entities")).status);
    };
    await Promise.all([flood(one), flood(one), flood(other), flood(other), quiet()]);
    // The first seconds are those in which the processes learn of each other.
    const later = served.filter((at) => at > end - 4_000).length / 4;
    expect(later).toBeWithin(perSecond * 0.5, perSecond * 1.3);
    expect(served.length).toBeLessThan(2 * 3 * perSecond + 5 * perSecond);
    expect(refused!.status).toBe(429);
    expect(refused!.headers.get("retry-after")).toBe("1");
    expect(refused!.body.Errors).toEqual([expect.stringContaining("MaxRequestsPerSecond: 20 requests a second")]);
    expect(new Set(neighbours)).toEqual(new Set([200]));
    expect(neighbours.length).toBeGreaterThan(50);

    const { clientId, clientSecret } = one;
    const credentials = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    const token = await until("the token endpoint to refuse", async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => askToken(one.url, credentials)));
      return answers.find(({ status }) => status === 429);
    });
    expect(token.headers.get("retry-after")).toBe("1");
  });

  test("of strangers, who know only the id of a public client, do not count", async () => {
    const api = await newTenant();
    await limit(api, { MaxRequestsPerSecond: 5 });
    const { Id } = await api.change({ Name: "App", Is_Active: true });
    const credentials = { ClientType: "public", RedirectUris: ["https://app.example/callback"] };
    expect((await api.patch(`/Application/${Id}/Credentials`, credentials)).status).toBe(200);
    const fields = {
      client_id: String(Id),
      grant_type: "authorization_code",
      code: "none",
      code_verifier: "a".repeat(43),
    };
    const ask = () => askToken(api.url, fields);
    expect(new Set(statuses(await Promise.all(Array.from({ length: 40 }, ask))))).toEqual(new Set([400]));
    expect((await api.get("/Entities")).status).toBe(200);
  });

  test("apply where they were set without a wait for the next exchange", async () => {
    const api = await newTenant();
    await limit(api, { MaxRequestsPerSecond: 1 });
    const answers: number[] = [];
    for (let turn = 0; turn < 40; turn++) answers.push((await api.get("/Entities")).status);
    expect(answers).toContain(429);
  });

  test("Settings stays open for the administrator", async () => {
    const api = await newTenant();
    await limit(api, { MaxRequestsPerSecond: 1 });
    const flood = () => Promise.all(Array.from({ length: 10 }, () => api.get("/Entities")));
    await until("the limit to be reached", async () => statuses(await flood()).includes(429));
    const visitor = await administratorOf(api);
    for (let turn = 0; turn < 5; turn++) expect((await visitor.open("/settings/data")).status).toBe(200);
  });
});

async function administratorOf({ tenant }: Api): Promise<Visitor> {
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), tenant.admin);
  return visitor;
}

const askToken = (url: string, fields: Record<string, string>) =>
  fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(fields) });

test("storage over the limit rejects changes, not deletions, until less is kept", async () => {
  await using app = startPrivateApp();
  const { tenant } = await newTenant();
  const api = await signIn(app.url, tenant);
  const { Id } = await api.change({ Name: "first" });
  await limit(api, { MaxStorageMegabytes: 2 });
  await measureCounts(db(), ENTITY_TABLES);
  const keep = (bytes: number) => setRows("tenant_counts", { tenant_id: api.tenantId }, { bytes });
  await keep(2_000_000);
  await limit(api, { MaxStorageMegabytes: 2, RetentionDays: 3 });
  const refused = await api.patch("/Application", { Id, Description: "changed" });
  expectError(refused, 409, "Conflict", /MaxStorageMegabytes: 2 megabytes\. Keep less/);
  expect((await api.remove(`/Application/${Id}`)).status).toBe(200);
  await keep(1_999_999);
  await until("the process to know", async () => (await api.patch("/Application", { Name: "second" })).status === 200);
});

describe.concurrent("a limit", () => {
  test.each([
    ["MaxRecords", 10_000_001, /at most 10000000, the installation's TENANT_MAX_RECORDS/],
    ["MaxConnections", 1_001, /at most 1000, the installation's TENANT_MAX_CONNECTIONS/],
    ["MaxEventsPerDay", 10_000_001, /TENANT_MAX_EVENTS_PER_DAY/],
    ["MaxRequestsPerSecond", 10_001, /TENANT_MAX_REQUESTS_PER_SECOND/],
    ["MaxStorageMegabytes", 1_000_001, /TENANT_MAX_STORAGE_MEGABYTES/],
    ["MaxRecords", 0, /must be a whole number of records from 1/],
    ["MaxRecords", -1, /must be a whole number/],
    ["MaxRecords", 1.5, /must be a whole number/],
    ["MaxRecords", "5", /must be a whole number/],
    ["MaxRecords", 1e12, /must be a whole number/],
  ])("%s of %p is rejected", async (name, value, says) => {
    const api = await newTenant();
    expectError(await api.patch(SETTINGS, { [name]: value }), 400, "Bad Input", says);
    expect((await api.get(SETTINGS)).body[name]).toBeNull();
  });

  test("near its end is an alert and a line in Settings, which say what to do", async () => {
    const api = await newTenant();
    await limit(api, { MaxConnections: 5 });
    await using receiver = startReceiver();
    for (let index = 0; index < 3; index++) await api.connect(receiver.url, { Name: `c ${index}` });
    const alerts = async () => (await api.get("/Alert?State=Open")).body.Items as { Kind: string; Reason: string }[];
    const page = async () => (await (await administratorOf(api)).open("/settings/data")).html;
    expect(await page()).toContain("3 (60 %)");
    expect(await page()).not.toContain("of the limit is used");
    await api.connect(receiver.url, { Name: "c 3" });
    const raised = await until("an alert", async () => (await alerts()).find(({ Kind }) => Kind === "NearLimit"));
    expect(raised.Reason).toBe("MaxConnections is at 80 %. The page Data says what to do.");
    const says = (percent: number) =>
      `Webhook connections: ${percent} % of the limit is used. Delete connections that are not needed, or raise MaxConnections.`;
    expect(await page()).toContain(`class="warning">${says(80)}`);
    await limit(api, { MaxConnections: 4 });
    expect(await page()).toContain(`class="problem">${says(100)}`);
    const form = (await (await administratorOf(api)).open("/settings/organisation")).html;
    expect(form).toContain("Maximum events a day");
    await limit(api, { MaxConnections: 50 });
    await until("the alert to end", async () => (await alerts()).length === 0);
  });
});
