import { expect, test } from "bun:test";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";

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
}, 60_000);

test("a discard without a time, of an unknown connection or by another tenant is refused", async () => {
  const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
  const { Id } = await api.connect("https://receiver.example/");
  const Before = new Date().toISOString();
  expect(await api.call("POST", `/WebhookConnection/${Id}/Discard`, {})).toMatchObject({ status: 400 });
  expect(await api.call("POST", `/WebhookConnection/${Id}/Discard`, { Before: "soon" })).toMatchObject({ status: 400 });
  expect(await stranger.call("POST", `/WebhookConnection/${Id}/Discard`, { Before })).toMatchObject({ status: 404 });
});
