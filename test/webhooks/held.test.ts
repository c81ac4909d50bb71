// Connections that temporarily take no posts, and their missed deliveries.

import { describe, expect, test } from "bun:test";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, type LoggedEvent, until } from "../world/api.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const client = await temporal();

describe.concurrent("a connection that is paused", () => {
  test("gets nothing; the event says why, and its workflow has the state Held", async () => {
    await using receiver = startReceiver();
    const { api } = await pausedConnection(receiver);
    const event = await api.settledChange({ Name: "Gate" });
    expect(event).toMatchObject({ State: "Held", Reason: "connection paused", Deliveries: [{ AttemptCount: 0 }] });
    await finished(client, event.WorkflowId);
    expect(await deliveryState(event.WorkflowId)).toEqual(["Held"]);
    expect(receiver.calls).toHaveLength(0);
  });

  test("is visible in Temporal beside another connection that got the event at the second attempt", async () => {
    await using receiver = startReceiver();
    const { api } = await pausedConnection(receiver);
    await using other = startReceiver([500, 200]);
    await api.connect(other.url);
    const event = await api.settledChange({ Name: "Gate" });
    expect(event).toMatchObject({ State: "Held", Reason: null });
    await finished(client, event.WorkflowId);
    expect(await deliveryState(event.WorkflowId)).toEqual(["Held"]);
  });

  test("gets all missed deliveries once it is set Active, and nothing twice", async () => {
    await using receiver = startReceiver();
    const { api, id } = await pausedConnection(receiver);
    for (let index = 1; index <= 20; index++) await api.change({ Name: `Gate ${index}` });
    const missed = (await api.events("State=Held")).Items.map((event) => event.EventId);
    expect(missed).toHaveLength(20);
    await api.setState(id, "Active");
    await api.change({ Name: "Next" });
    await untilAllDelivered(api);
    const got = receiver.calls.map((call) => call.payload.EventId);
    expect(got.toSorted()).toEqual([...missed, (await api.newestEvent()).EventId].toSorted());
  });

  test("misses nothing when paused and resumed repeatedly during changes", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    let made = 0;
    const changing = Promise.all(
      [1, 2, 3].map(async () => {
        while (made < 60) await api.change({ Name: `Gate ${++made}` });
      }),
    );
    while (made < 60) for (const state of ["Paused", "Active"] as const) await api.setState(Id, state);
    await changing;
    await untilAllDelivered(api);
    const { Items } = await api.events("Limit=200&State=Delivered");
    expect(Items).toHaveLength(made);
    expect(new Set(receiver.calls.map((call) => call.payload.EventId)).size).toBe(made);
  });

  test("during a retry's wait gets no further post until it is set Active; then attempts continue", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(async ({ count }) => {
      if (count === 1) await api.setState(connection.Id, "Paused");
      return 500;
    });
    const connection = await api.connect(receiver.url);
    const held = await api.settledChange({ Name: "Gate" });
    expect(held).toMatchObject({ State: "Held", Deliveries: [{ AttemptCount: 1 }] });
    await finished(client, held.WorkflowId);
    expect(await deliveryState(held.WorkflowId)).toEqual(["Held"]);
    expect(receiver.calls).toHaveLength(1);

    await api.setState(connection.Id, "Active");
    const event = await settled(api, held.EventId);
    expect(event).toMatchObject({ State: "Exhausted", Deliveries: [{ AttemptCount: 3 }] });
    expect(event.Deliveries[0]!.Attempts.map((attempt) => attempt.Number)).toEqual([1, 2, 3]);
    expect(receiver.calls).toHaveLength(3);
  });

  test("is resumed though the event's workflow still waits for another receiver", async () => {
    await using receiver = startReceiver();
    const { api, id } = await pausedConnection(receiver);
    let asked = 0;
    const later = new Response(null, { status: 503, headers: { "retry-after": "3" } });
    await using busy = startReceiver(() => (++asked === 1 ? later : 200));
    await api.connect(busy.url);
    await api.change({ Name: "Gate" });
    await until("the other to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    await api.setState(id, "Active");
    await untilAllDelivered(api);
    expect(receiver.calls).toHaveLength(1);
    expect(busy.calls).toHaveLength(2);
  });
});

describe.concurrent("a connection held by its receiver's 410", () => {
  test("can be sent back as read, but cannot be set Held by hand", async () => {
    const api = await newTenant();
    let status = 410;
    await using receiver = startReceiver(() => status);
    const { Id } = await api.connect(receiver.url);
    await api.settledChange({ Name: "Gate" });
    const read = await api.connection(Id);
    expect(read.State).toBe("Held");
    const answer = await api.call("PATCH", "/WebhookConnection", read);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { ...read } });

    await api.change({ Name: "Next" });
    expect(await api.settledEvent()).toMatchObject({ State: "Held", Reason: "connection held" });

    status = 200;
    await api.setState(Id, "Active");
    const refused = await api.call<{ Errors: string[] }>("PATCH", "/WebhookConnection", { Id, State: "Held" });
    expect(refused.status).toBe(400);
    expect(refused.body.Errors.join()).toContain("State must be Active or Paused");
  });
});

describe.concurrent("a connection that is deleted", () => {
  test("has its missed deliveries cancelled", async () => {
    await using receiver = startReceiver();
    const { api, id } = await pausedConnection(receiver);
    await api.settledChange({ Name: "Gate" });
    await api.disconnect(id);
    expect(await api.newestEvent()).toMatchObject({ State: "Cancelled", Deliveries: [{ State: "Cancelled" }] });
    expect(receiver.calls).toHaveLength(0);
  });

  test("during a retry's wait has the retry cancelled at once, without another attempt in the log", async () => {
    const api = await newTenant();
    const later = new Response(null, { status: 503, headers: { "retry-after": "2" } });
    await using receiver = startReceiver(later);
    const { Id } = await api.connect(receiver.url);
    await api.change({ Name: "Gate" });
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    await api.disconnect(Id);
    const event = await api.newestEvent();
    expect(event.State).toBe("Cancelled");
    await finished(client, event.WorkflowId);
    expect(await deliveryState(event.WorkflowId)).toEqual(["Cancelled"]);
    expect(await api.event(event.EventId)).toEqual(event);
    expect(receiver.calls).toHaveLength(1);
  });

  test("during a post is Cancelled if the post fails, with its response in the log, else Delivered", async () => {
    for (const [status, state] of [
      [500, "Cancelled"],
      [200, "Delivered"],
    ] as const) {
      const api = await newTenant();
      await using receiver = startReceiver(async () => {
        await api.disconnect(connection.Id);
        return status;
      });
      const connection = await api.connect(receiver.url);
      await api.change({ Name: "Gate" });
      const { EventId, WorkflowId } = await api.newestEvent();
      await finished(client, WorkflowId);
      expect(await api.event(EventId)).toMatchObject({
        State: state,
        Deliveries: [{ State: state, AttemptCount: 1, Attempts: [{ Number: 1, StatusCode: status }] }],
      });
      expect(receiver.calls).toHaveLength(1);
    }
  });
});

async function pausedConnection({ url }: Receiver): Promise<{ api: Api; id: string }> {
  const api = await newTenant();
  const { Id } = await api.connect(url, { State: "Paused" });
  return { api, id: Id };
}

async function untilAllDelivered(api: Api): Promise<void> {
  await until("every event to be Delivered", async () => {
    return (await api.events("Limit=200")).Items.every((event) => event.State === "Delivered");
  });
}

async function settled(api: Api, eventId: string): Promise<LoggedEvent> {
  return until(`event ${eventId} to settle`, async () => {
    const event = await api.event(eventId);
    return (event.State === "Delivered" || event.State === "Exhausted") && event;
  });
}

async function deliveryState(workflowId: string): Promise<unknown> {
  return (await client.workflow.getHandle(workflowId).describe()).searchAttributes.DeliveryState;
}
