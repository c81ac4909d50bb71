// A ping tests a connection: it is a signed event of its own kind that changes nothing.

import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { isSignedWith } from "../../examples/receiver/verify.ts";
import { finished, temporal } from "../support/temporal.ts";
import { kindsOf, logOf } from "../world/audit.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const client = await temporal();

describe.concurrent("a ping", () => {
  test("is a signed event of its own kind, sent to its connection only, and is in the log and in Temporal", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await using other = startReceiver();
    const { Id } = await api.connect(receiver.url, { Name: "hooks", Secret: SECRET });
    await api.connect(other.url);
    const eventId = await api.ping(Id);
    const event = await api.settled(eventId);
    expect(event).toMatchObject({
      ...{ EventType: "Ping", EventRecord: "WebhookConnection", RecordId: Id, RecordCount: 1, State: "Delivered" },
      Deliveries: [{ ConnectionId: Id, State: "Delivered", AttemptCount: 1 }],
    });
    const [call] = receiver.calls;
    expect(call!.payload).toEqual({
      ...{ TenantId: api.tenant.tenantId, EventType: "Ping", EventId: eventId, Version: "1.0" },
      ...{ Timestamp: event.Timestamp, EventRecord: "WebhookConnection", EventResponse: "Object" },
      Data: { Id, Name: "hooks", Entities: ["Application"], Events: ["Created", "Updated", "Deleted"] },
    });
    expect(isSignedWith(SECRET, call!.bytes, call!.headers.get("x-signature")!)).toBe(true);
    new Webhook(SECRET).verify(call!.bytes, Object.fromEntries(call!.headers));
    expect([receiver.calls.length, other.calls.length]).toEqual([1, 0]);
    expect((await api.events("EventType=Ping")).Items.map(({ EventId }) => EventId)).toEqual([eventId]);
    expect((await api.events("EventRecord=WebhookConnection")).Items).toHaveLength(1);

    await finished(client, event.WorkflowId);
    const summary = await (await client.workflow.getHandle(event.WorkflowId).describe()).staticSummary();
    expect(summary).toBe("WebhookConnection hooks Ping → hooks");
  });

  test("tries a Paused connection without resuming it", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    await api.change({ Name: "Gate" });
    expect((await api.settled(await api.ping(Id))).State).toBe("Delivered");
    expect((await api.connection(Id)).State).toBe("Paused");
    expect(receiver.calls.map(({ payload }) => payload.EventType)).toEqual(["Ping"]);
    expect((await api.events("State=Held")).Items).toHaveLength(1);
  });

  test("has one attempt, and a 410 to it causes no hold", async () => {
    for (const status of [503, 410]) {
      const api = await newTenant();
      await using receiver = startReceiver(status);
      const { Id } = await api.connect(receiver.url);
      const event = await api.settled(await api.ping(Id));
      expect(event).toMatchObject({
        State: "Exhausted",
        Deliveries: [{ AttemptCount: 1, Attempts: [{ StatusCode: status }] }],
      });
      expect((await api.connection(Id)).State).toBe("Active");
      const again = await api.call("POST", `/WebhookEvent/${event.EventId}/Redeliver`, {});
      expect([again.status, again.body.Type]).toEqual([409, "/Errors/Conflict"]);
      expect(receiver.calls).toHaveLength(1);
    }
  });

  test("tries a Held connection, which stays Held", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.EventType === "Ping" ? 200 : 410));
    const { Id } = await api.connect(receiver.url);
    await api.settledChange({ Name: "Gate" });
    expect((await api.settled(await api.ping(Id))).State).toBe("Delivered");
    expect((await api.connection(Id)).State).toBe("Held");
  });

  test("requires Webhooks:Update and a connection of the tenant, and is in the audit log with its sender", async () => {
    const caller = await newTenant();
    const fields = { URL: "https://hooks.example/", Entities: ["User"], Events: ["Created"] };
    const { Id } = await caller.made("WebhookConnection", fields);
    const path = `/WebhookConnection/${Id}/Ping`;
    const stranger = await newTenant();
    expect((await stranger.send("POST", path)).status).toBe(404);
    expect((await caller.send("POST", "/WebhookConnection/7/Ping")).status).toBe(404);
    expect(await kindsOf(caller)).toEqual(["WebhookConnection.Created"]);
    const { status, body } = await caller.send("POST", path);
    expect(status).toBe(200);
    expect(body.WorkflowUrl).toContain(body.EventId);
    expect(await logOf(caller, "Kind=WebhookConnection.Pinged")).toMatchObject([
      { Subject: { Type: "WebhookConnection", Id }, Details: { EventId: body.EventId } },
    ]);
  });
});
