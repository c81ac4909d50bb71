import { expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { until } from "../world/api.ts";
import { holdRows } from "../world/locks.ts";
import { startReceiver } from "../world/receiver.ts";
import { fill, rowsOf } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";

test("old held deliveries are counted first, then given up for good; newer ones are still sent", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(200);
  const { Id } = await api.connect(receiver.url, { State: "Paused" });
  for (const Name of ["First", "Second", "Third"]) await api.change({ Name });
  await until("all to be held", async () => (await api.events("State=Held")).Items.length === 3);
  const { Items } = await api.events("State=Held");
  const Before = Items[0]!.Timestamp;
  const discard = (body: object) => api.call("POST", `/WebhookConnection/${Id}/Discard`, body);

  expect(await discard({ Before, DryRun: true })).toMatchObject({ status: 200, body: { Count: 2, More: false } });
  expect((await api.events("State=Held")).Items).toHaveLength(3);
  expect(await discard({ Before })).toMatchObject({ status: 200, body: { Count: 2, More: false } });
  expect(await discard({ Before })).toMatchObject({ status: 200, body: { Count: 0, More: false } });
  expect((await api.events("State=Cancelled")).Items.map(({ EventId }) => EventId)).toEqual(
    Items.slice(1).map(({ EventId }) => EventId),
  );
  const { body: audit } = await api.get("/AuditEvent?Kind=WebhookConnection.Discarded");
  expect(audit.Items).toMatchObject([{ Subject: { Id }, Details: { Before, Deliveries: 2 } }]);

  await api.setState(Id, "Active");
  await until("the newest", () => receiver.calls.length === 1);
  expect(receiver.calls[0]!.payload.Data.Name).toBe("Third");
  // They can be sent again while their payloads are stored.
  expect(await api.redeliver(Items[2]!.EventId)).toMatchObject({ status: 200 });
  await until("the oldest", () => receiver.calls.length === 2);
});

test("a discard of many lets changes of its connection and of records continue, and says that some are left", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { State: "Paused" });
  const filling = { tenantId: api.tenantId as TenantId, connectionIds: [Id], spanMs: 3_600_000 };
  await fill(db(), { ...filling, events: 12_000, stateOf: () => "Held" });
  // A time in the future means now.
  const Before = new Date(Date.now() + 86_400_000).toISOString();
  const discard = (more = {}) => api.call("POST", `/WebhookConnection/${Id}/Discard`, { Before, ...more });
  expect((await discard({ DryRun: true })).body).toEqual({ Count: 12_000, More: true });

  // Deliveries that another transaction has locked are left out, and no lock on the connection is needed.
  const held = await rowsOf<{ id: string; position: number }>("deliveries", { connection_id: Id, state: "Held" });
  const first = held.toSorted((a, b) => a.position - b.position).slice(0, 10);
  await using connection = await holdRows("webhook_connections", { id: Id });
  await using deliveries = await holdRows("deliveries", { id: first.map(({ id }) => id) });
  expect((await discard()).body).toEqual({ Count: 10_000, More: true });
  expect((await discard()).body).toEqual({ Count: 1_990, More: true });
  await connection.release();
  await deliveries.release();
  expect((await discard()).body).toEqual({ Count: 10, More: false });
  const { body: audit } = await api.get("/AuditEvent?Kind=WebhookConnection.Discarded&Limit=200");
  const counts = audit.Items.map(({ Details }: { Details: { Deliveries: number } }) => Details.Deliveries);
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(12_000);
});

test("a discard without a time, of an unknown connection or by another tenant is refused", async () => {
  const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
  const { Id } = await api.connect("https://receiver.example/");
  const Before = new Date().toISOString();
  expect(await api.call("POST", `/WebhookConnection/${Id}/Discard`, {})).toMatchObject({ status: 400 });
  expect(await api.call("POST", `/WebhookConnection/${Id}/Discard`, { Before: "soon" })).toMatchObject({ status: 400 });
  expect(await stranger.call("POST", `/WebhookConnection/${Id}/Discard`, { Before })).toMatchObject({ status: 404 });
});
