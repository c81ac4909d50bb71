// Alerts: raised and ended automatically, acknowledged by users.

import { describe, expect, test } from "bun:test";
import { readConfig } from "../../server/platform/config/config.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { KEEP_DAYS, listAlertCauses, removeOldAlerts } from "../../server/webhooks/alerts/store.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { type Api, expectError, ok, unique, until } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { type Client, otherClient } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { plantLogouts } from "../world/planted.ts";
import { analyze, rowsRead } from "../world/postgresql.ts";
import { startReceiver } from "../world/receiver.ts";
import { countOf, elapse, expire, fill, plantAlert, plantEntries, setRows } from "../world/rows.ts";
import { hide, send } from "../world/spy.ts";
import { db, newMember, newTenant, savePolicy } from "../world/tenant.ts";

interface Alert {
  Id: string;
  Kind: string;
  ConnectionId: string | null;
  State: string;
  Reason: string;
  EndedOn: string | null;
  AcknowledgedBy: { Type: string; Id: string } | null;
  AcknowledgedUntil: string | null;
}

const alertsOf = async (api: Api, filter = "") => (await api.get(`/Alert?${filter}`)).body.Items as Alert[];
const raised = (api: Api, kind: string) =>
  until(`an alert ${kind}`, async () => (await alertsOf(api)).find(({ Kind }) => Kind === kind));
const acknowledge = (api: Api, id: string, body: object = {}) => api.call("POST", `/Alert/${id}/Acknowledge`, body);

async function hold(api: Api, url: string): Promise<string> {
  const { Id } = await api.connect(url, { Name: "Directory" });
  await api.change({ Name: "Gate" });
  await until("the connection to be Held", async () => (await api.connection(Id)).State === "Held");
  return Id;
}

describe.concurrent("an alert", () => {
  test("is raised when a connection is Held, can be acknowledged until a time, and ends by itself", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(410);
    const connection = await hold(api, receiver.url);
    const alert = await raised(api, "ConnectionHeld");
    expect(alert).toMatchObject({ ConnectionId: connection, State: "Open", AcknowledgedBy: null, EndedOn: null });
    expect(alert.Reason).not.toBe("");

    expectError(await acknowledge(api, alert.Id, { Until: "2020-01-01" }), 400, "Bad Input", /future time/);
    expectError(await acknowledge(api, alert.Id, { Until: "soon" }), 400, "Bad Input", /Until must be/);
    expect((await acknowledge(api, Bun.randomUUIDv7())).status).toBe(404);
    const reader = await api.withScope("Webhooks:Read");
    expect((await acknowledge(reader, alert.Id)).status).toBe(403);

    const Until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await acknowledge(api, alert.Id, { Until })).body).toMatchObject({
      ...{ State: "Acknowledged", AcknowledgedUntil: Until },
      AcknowledgedBy: { Type: "Application", Id: api.clientId },
    });
    expect((await alertsOf(api, "State=Open")).map(({ Id }) => Id)).not.toContain(alert.Id);
    expect(await logOf(api, "Kind=Alert.Acknowledged")).toHaveLength(1);
    const stranger = await newTenant();
    expect((await stranger.get(`/Alert/${alert.Id}`)).status).toBe(404);

    await api.setState(connection, "Paused");
    await until("it to end", async () => (await api.get(`/Alert/${alert.Id}`)).body.State === "Ended");
    expect((await acknowledge(api, alert.Id)).status).toBe(409);
  });

  test("is raised by a failure rate, a backlog or a burst of failed sign-ins above its threshold, not below", async () => {
    const api = await newTenant();
    const tenantId = api.tenantId as TenantId;
    const connect = async (Name: string) => (await api.connect("https://localhost:9443/", { Name })).Id;
    const [failing, fine, waiting] = [await connect("failing"), await connect("fine"), await connect("waiting")];
    const some = { tenantId, events: 30, spanMs: 60_000 };
    await fill(db(), { ...some, connectionIds: [failing], stateOf: (n) => (n < 4 ? "Exhausted" : "Delivered") });
    await fill(db(), { ...some, connectionIds: [fine], stateOf: (n) => (n < 2 ? "Exhausted" : "Delivered") });
    await fill(db(), { ...some, connectionIds: [waiting], spanMs: 3_600_000, stateOf: () => "Held" });
    await plantEntries(tenantId, 30, { kind: "SignIn.Failed", outcome: "Failure" });
    for (const kind of ["ErrorRate", "Backlog", "FailedSignIns"]) await raised(api, kind);
    const alerts = (await alertsOf(api)).map(({ Kind, ConnectionId }) => [Kind, ConnectionId]);
    expect(alerts.toSorted()).toEqual([
      ["Backlog", waiting],
      ["ErrorRate", failing],
      ["FailedSignIns", null],
    ]);
  });

  test("by rate needs only a few failures, and ignores recoveries and test events", async () => {
    const api = await newTenant();
    const tenantId = api.tenantId as TenantId;
    const connect = async (Name: string) => (await api.connect("https://localhost:9443/", { Name })).Id;
    const [failing, recovered, slid, tried] = await Promise.all(["failing", "recovered", "slid", "tried"].map(connect));
    const add = (id: string, state: DeliveryState, events: number) =>
      fill(db(), { tenantId, connectionIds: [id], events, spanMs: 1_000, stateOf: () => state });
    const age = (id: string, minutes: number) =>
      elapse(`${minutes} minutes`, "deliveries", { connection_id: id }, "changed_on");
    /** @param work runs while no other process checks alerts */
    const causes = (work?: () => Promise<unknown>) =>
      db().begin(async (tx) => {
        const all = await until("our turn", () => listAlertCauses(tx, new Date(), readConfig({}).tenantLimits));
        await work?.();
        return all.filter((one) => one.tenantId === tenantId).map(({ connectionId }) => connectionId);
      });
    await add(failing!, "Exhausted", 3);
    await add(recovered!, "Exhausted", 2);
    await add(tried!, "Exhausted", 5);
    await setRows("deliveries", { connection_id: tried! }, { is_ping: true });
    expect(await causes()).toEqual([failing!]);
    // Older successes are outside the hour, and the failures are not recent.
    await causes(async () => {
      await add(slid!, "Exhausted", 3);
      await age(slid!, 20);
    });
    await add(slid!, "Delivered", 10);
    await add(recovered!, "Delivered", 18);
    expect(await causes()).toEqual([failing!]);
  });

  test("is hidden with its connection; counts are shown to readers of every event", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    await savePolicy(admin, "Spy", `permit (principal == Client::"${spy.clientId}", action, resource);`);
    const [hidden, seen] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const connections: string[] = [];
    for (const [id, kind] of [
      [hidden, "ConnectionHeld"],
      [seen, "ErrorRate"],
    ]) {
      const connection = { Name: unique("connection"), URL: "https://receiver.example/", State: "Paused" };
      const made = { ...connection, Entities: ["Application"], Events: ["Updated"] };
      const { Id } = await ok(admin.patch("/WebhookConnection", made));
      connections.push(Id);
      // Ended, so the check leaves it unchanged.
      await plantAlert(admin.tenantId, { id, kind, connection_id: Id, ended_on: new Date() });
    }
    const told = async () => {
      const { Items } = await ok(spy.get("/Alert?State=Ended"));
      return Items.map(({ Id, Reason }: Alert) => [Id, Reason]);
    };
    expect(await told()).toEqual([
      [seen, "as a test says"],
      [hidden, "as a test says"],
    ]);

    await hide({ admin, spy }, [
      { type: "WebhookConnection", id: connections[0]! },
      { type: "WebhookEvent", id: Bun.randomUUIDv7() },
    ]);
    expect(await told()).toEqual([[seen, null]]);
    expect((await ok(spy.get(`/Alert/${seen}`))).Reason).toBeNull();
    expectError(await spy.get(`/Alert/${hidden}`), 404, "Not Found", /no Alert/);
    expect((await send(spy, "POST", `/Alert/${seen}/Acknowledge`, {})).status).toBe(409);
    expect((await send(spy, "POST", `/Alert/${hidden}/Acknowledge`, {})).status).toBe(404);
  });

  test("by rate reads a tenant's hour once, however many connections fail", async () => {
    const api = await newTenant();
    const connectionIds: string[] = [];
    for (let index = 0; index < 10; index++) {
      connectionIds.push((await api.connect("https://localhost:9443/", { Name: unique("failing") })).Id);
    }
    const some = { tenantId: api.tenantId as TenantId, events: 300, spanMs: 60_000 };
    await fill(db(), { ...some, connectionIds, stateOf: (n) => (n < 50 ? "Exhausted" : "Delivered") });
    await analyze(["deliveries"], db());
    const read = await db().begin(async (tx) => {
      const causes = await until("our turn", () => listAlertCauses(tx, new Date(), readConfig({}).tenantLimits));
      expect(causes.filter(({ tenantId }) => tenantId === api.tenantId)).toHaveLength(10);
      return rowsRead(["deliveries_changed"], tx);
    });
    const all = await countOf("deliveries");
    // If each connection read it once, the number would be ten times higher.
    expect(read).toBeLessThan(3 * all);
  });
});

test.concurrent("for failing logouts names the applications, and ends when they recover", async () => {
  const api = await newTenant();
  const owner = { tenant: api.tenant } as Client;
  const [failing, fine, few] = await Promise.all([1, 2, 3].map(() => otherClient(owner)));
  const log = ({ id }: Client, state: string, count: number) =>
    plantLogouts(api, id, count, { state, ended_on: new Date() });
  await log(failing!, "Exhausted", 2);
  await log(failing!, "Delivered", 8);
  await log(fine!, "Exhausted", 1);
  await log(fine!, "Delivered", 19);
  await log(few!, "Exhausted", 1);
  await log(few!, "Delivered", 3);
  const alert = await raised(api, "FailedLogouts");
  expect([alert.ConnectionId, alert.Reason]).toEqual([
    null,
    `2 of 10 logouts failed in an hour, of Application ${failing!.id}`,
  ]);
  await expire("logouts", { client_id: failing!.id }, "ended_on", "2 hours");
  await until("it to end", async () => (await api.get(`/Alert/${alert.Id}`)).body.State === "Ended");
});

test("is kept for 90 days after its end", async () => {
  const api = await newTenant();
  const ended = (days: number) => plantAlert(api.tenantId, { ended_on: new Date(Date.now() - days * 86_400_000) });
  const [old, young] = [await ended(KEEP_DAYS + 1), await ended(KEEP_DAYS - 1)];
  await removeOldAlerts(db());
  expect((await alertsOf(api)).map(({ Id }) => Id)).toEqual([young]);
  expect((await api.get(`/Alert/${old}`)).status).toBe(404);
});

const browser = openWindows();

test.concurrent.each([true, false])(
  "every page shows an alert until it is acknowledged (with script: %p)",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    await using receiver = startReceiver(410);
    await hold(api, receiver.url);
    await raised(api, "ConnectionHeld");
    const colleague = await newColleague(api, "ops");
    await using visitor = await enterSettings(browser, api.tenant, { ...colleague, javaScriptEnabled });
    const { page, open, complaints } = visitor;
    await page.getByText("without acknowledgement: connection held.").waitFor();
    if (javaScriptEnabled) await inspect(page, "overview-alert");
    await page.getByRole("link", { name: "1 alert", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "Connection held" });
    await row.getByRole("link", { name: "Directory" }).waitFor();
    await row.getByRole("button", { name: "Acknowledge for 4 h" }).click();
    await page.getByRole("status").getByText("Acknowledged.").waitFor();
    await row.getByText(/^you until/).waitFor();
    if (javaScriptEnabled) await inspect(page, "alerts-acknowledged");
    await open("/settings");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(await page.getByText("without acknowledgement").count()).toBe(0);
    await open("/settings/alerts?State=Ended");
    await page.getByText("No matching alerts").waitFor();
    expect(complaints).toEqual([]);
  },
);
