// A test with sample data: the receiver's call, and the unchanged data.

import { describe, expect, test } from "bun:test";
import { type Api, expectError } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CREATED = { EventRecord: "Application", EventType: "Created" };
const send = (api: Api, id: string, body: object) => api.call("POST", `/WebhookConnection/${id}/Test`, body);

describe.concurrent("a test of a connection", () => {
  test("is a signed call like the real change's, to this connection only, marked as a test", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await using other = startReceiver();
    const { Id } = await api.connect(receiver.url, { Secret: "a secret" });
    await api.connect(other.url);
    const { status, body } = await send(api, Id, CREATED);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { WorkflowId: `WebhookConnection/${Id}/Ping/${body.EventId}` },
    });
    const event = await api.settled(String(body.EventId));
    const [call] = receiver.callsFor(event.EventId);
    expect(event).toMatchObject({ EventType: "Ping", EventRecord: "WebhookConnection", RecordId: Id, Sequence: null });
    expect(event.Payload).toEqual(call!.payload as never);
    const { EventId } = event;
    expect(call!.payload).toEqual({
      ...{ TenantId: api.tenantId, ...CREATED, EventId, Version: "1.0", Timestamp: event.Timestamp },
      ...{ EventResponse: "Object", Data: expect.objectContaining({ Name: "Payroll" }), Test: true },
    } as never);
    expect(call!.headers.get("x-signature")).toMatch(/^[0-9a-f]{64}$/);
    expect(call!.headers.get("webhook-sequence")).toBeNull();
    expect(other.calls).toEqual([]);
    // No record has a sample's Id, so a receiver cannot mistake it for a real record.
    const { Id: sample } = call!.payload.Data;
    expect((await api.get(`/Application/${sample}`)).status).toBe(404);
  });

  test("has one attempt, also for a Paused connection, and changes nothing", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(410);
    const { Id } = await api.connect(receiver.url);
    for (const state of ["Active", "Paused"] as const) {
      await api.setState(Id, state);
      const { body } = await send(api, Id, { EventRecord: "Application", EventType: "Deleted" });
      const event = await api.settled(String(body.EventId));
      expect(event).toMatchObject({ State: "Exhausted", Deliveries: [{ AttemptCount: 1 }] });
      expect((await api.connection(Id)).State).toBe(state);
    }
    expect((await api.deadLetters()).Items).toEqual([]);
  });

  test("is of a subscribed kind, and requires Webhooks:Update", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Events: ["Created"] });
    const refused = (answer: Awaited<ReturnType<typeof send>>, says: RegExp) =>
      expectError(answer, 400, "Bad Input", says);
    refused(await send(api, Id, { ...CREATED, EventType: "Updated" }), /is not subscribed to Application Updated/);
    refused(await send(api, Id, { ...CREATED, EventRecord: "User" }), /is not subscribed to User Created/);
    refused(await send(api, Id, { ...CREATED, EventRecord: "Door" }), /EventRecord must be/);
    refused(await send(api, Id, { EventRecord: "Application" }), /EventType is missing/);
    const reader = await api.withScope("Webhooks:Read");
    expect((await send(reader, Id, CREATED)).status).toBe(403);
    expect((await api.events()).Items).toEqual([]);
  });
});
