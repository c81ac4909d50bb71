// A receiver fails repeatedly: its connection is held and probed, and then gets all missed events.

import { afterAll, describe, expect, test } from "bun:test";
import { startStack } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { type Api, type ConnectionFields, until } from "../world/api.ts";
import { type Call, type Receiver, type Reply, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const HOLD_AFTER = 3;
const PROBE_INTERVAL_MS = 500;
/** Waits are up to a tenth shorter. */
const MIN_INTERVAL_MS = 0.9 * PROBE_INTERVAL_MS;
/** A single record, so its changes arrive in order. */
const GATE = { ExternalId: "gate" };
/** A timer's inaccuracy. */
const SLACK_MS = 50;

const stack = await startStack({
  env: {
    WEBHOOK_HOLD_AFTER: String(HOLD_AFTER),
    WEBHOOK_PROBE_INTERVAL: `${PROBE_INTERVAL_MS}ms`,
    WEBHOOK_RETRY_INITIAL_INTERVAL: "10ms",
  },
});
const client = await temporal(stack.temporalAddress);
afterAll(async () => {
  await client?.connection.close();
  await stack?.stop();
});

describe.concurrent("a connection", () => {
  test("is held after a number of consecutive exhausted deliveries, with time and reason", async () => {
    const api = await newTenant(stack);
    let status = 500;
    await using receiver = receive(() => status);
    const { Id } = await api.connect(receiver.url);
    const outcomes = [500, 500, 200, 500, 500];
    for (const [index, next] of outcomes.entries()) {
      status = next;
      await api.settledChange({ Name: `Gate ${index}` });
    }
    expect(await api.connection(Id)).toMatchObject({ State: "Active", HeldOn: null, HeldReason: null });
    await api.change({ Name: "The last straw" });
    expect((await api.settledEvent()).State).toBe("Exhausted");
    const held = await api.connection(Id);
    expect(held).toMatchObject({
      ...{ State: "Held", HeldReason: "3 exhausted deliveries in a row, the last with 500" },
    });
    expect(Date.parse(held.HeldOn!)).toBeCloseTo(Date.now(), -4);
    // Sent back unchanged, it changes nothing; a changed one is rejected.
    expect((await api.call("PATCH", "/WebhookConnection", held)).status).toBe(200);
    const refused = await api.call<{ Errors: string[] }>("PATCH", "/WebhookConnection", { Id, HeldReason: "a whim" });
    expect([refused.status, refused.body.Errors]).toEqual([400, ["HeldReason cannot be set."]]);
  });

  test("that is held is probed with its oldest delivery, at growing intervals that ops see", async () => {
    const api = await newTenant(stack);
    await using receiver = receive(() => 503);
    const { Id } = await hold(api, receiver);
    await api.change({ Name: "Oldest" });
    const oldest = await api.newestEvent();
    await api.change({ Name: "Other" });
    const probes = () => receiver.callsFor(oldest.EventId);
    await until("three probes", () => probes().length === 3);
    const [first, second, third] = probes().map(({ at }) => at.getTime());
    expect(second! - first!).toBeGreaterThanOrEqual(2 * MIN_INTERVAL_MS - SLACK_MS);
    expect(third! - second!).toBeGreaterThanOrEqual(4 * MIN_INTERVAL_MS - SLACK_MS);
    const event = await until("the probe to be logged", async () => {
      const found = await api.event(oldest.EventId);
      return found.Deliveries[0]!.Attempts.length === 3 && found;
    });
    expect(event).toMatchObject({ State: "Held", Deliveries: [{ State: "Held", AttemptCount: 3 }] });
    expect(receiver.callsFor((await api.newestEvent()).EventId)).toHaveLength(0);
    const details = await until("the details", async () => {
      const text = await detailsOf(`WebhookConnection/${Id}/Probe`);
      return text.includes("3 probes") && text;
    });
    const last = /^Held after 3 exhausted .* with 503; 3 probes since, the last: localhost answered 503; next in/;
    expect(details).toMatch(last);
    // A notice that comes before the next probe changes none of it.
    const probing = client.workflow.getHandle(`WebhookConnection/${Id}/Probe`);
    const answered = async () =>
      (await probing.fetchHistory()).events!.filter((one) => one.activityTaskCompletedEventAttributes).length;
    const before = await answered();
    await probing.signal("changed");
    await until("the answer to the notice", async () => (await answered()) > before);
    expect(await detailsOf(`WebhookConnection/${Id}/Probe`)).toMatch(
      /; \d+ probes since, the last: localhost answered 503; next in/,
    );
  });

  test("that answers a probe becomes Active and gets all missed deliveries of a record in order, then newer ones", async () => {
    const api = await newTenant(stack);
    let status = 500;
    await using receiver = receive(() => status);
    const { Id } = await hold(api, receiver);
    const made = Array.from({ length: 40 }, (_, index) => `Gate ${index}`);
    for (const Name of made.slice(0, 25)) await api.change({ ...GATE, Name });
    const { Items } = await api.events("State=Held&Limit=200");
    expect(Items).toHaveLength(25);
    // Their own workflows have ended, as after a longer hold.
    await until("their workflows", async () => {
      return (await Promise.all(Items.map((it) => statusOf(it.WorkflowId)))).every((it) => it === "COMPLETED");
    });
    status = 200;
    await until("the drain to be under way", () => arrived(receiver).length >= 3);
    for (const Name of made.slice(25)) await api.change({ ...GATE, Name });
    await until("all to arrive", () => arrived(receiver).length >= made.length);
    expect(arrived(receiver)).toEqual(made);
    expect(await api.connection(Id)).toMatchObject({ State: "Active", HeldOn: null, HeldReason: null });
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}&Kind=Drain`);
    const drain = await api.endedRedelivery(body.Items[0]!.Id);
    expect(drain).toMatchObject({ State: "Completed", States: ["Held"], From: null, To: null });
    expect(drain.Done).toBe(drain.Delivered);
    await until("no probing", async () => (await statusOf(`WebhookConnection/${Id}/Probe`)) === "COMPLETED");
    // Operators see names, even for a connection that has only an id.
    expect(await summaryOf(`WebhookConnection/${Id}/Probe`)).toStartWith(
      `${Id} is Held: 3 exhausted deliveries in a row`,
    );
    expect(await summaryOf(drain.WorkflowId)).toBe(`Drain of ${Id}`);
    // Later changes are sent at once again.
    await api.change({ Name: "Next" });
    expect((await api.settledEvent()).State).toBe("Delivered");
  });

  test("that is changed while held is probed at once, whatever the interval", async () => {
    const api = await newTenant(stack);
    await using receiver = receive(() => 500);
    await using moved = receive(() => 200);
    const { Id } = await hold(api, receiver);
    await api.change({ Name: "Missed" });
    // The next probe is due in 7.2 to 8.8 s.
    await until("four probes", () => receiver.calls.length >= 3 * HOLD_AFTER + 4);
    await until("the wait", async () => /next in [89] s/.test(await detailsOf(`WebhookConnection/${Id}/Probe`)));
    const changedOn = Date.now();
    await api.call("PATCH", "/WebhookConnection", { Id, URL: moved.url, ApiKey: "moved" });
    await until("it to arrive there", () => moved.calls.length === 1);
    expect(moved.calls[0]!.at.getTime() - changedOn).toBeLessThan(7_000);
    await until("it to be Active", async () => (await api.connection(Id)).State === "Active");
  });

  test("is not probed with a change whose record has an earlier one waiting for its retry", async () => {
    const api = await newTenant(stack);
    const later = new Response(null, { status: 503, headers: { "Retry-After": "600" } });
    const answers: Record<string, Reply> = { First: later, Out: 410 };
    await using receiver = receive(({ payload }) => answers[String(payload.Data.Name)] ?? 200);
    const { Id } = await api.connect(receiver.url, { Order: "Record" });
    await api.change({ ...GATE, Name: "First" });
    await until("its failure", async () => (await api.newestEvent()).State === "Retrying");
    await api.change({ ExternalId: "lift", Name: "Out" });
    await until("it to be Held", async () => (await api.connection(Id)).State === "Held");
    await api.change({ ...GATE, Name: "Second" });
    const { EventId } = await api.newestEvent();
    await api.change({ ExternalId: "door", Name: "Door" });
    await until("it to be Active", async () => (await api.connection(Id)).State === "Active");
    expect(receiver.calls.map(({ payload }) => payload.Data.Name)).toEqual(["First", "Out", "Door"]);
    expect((await api.event(EventId)).State).toBe("Held");
    await api.disconnect(Id);
  });

  test("that was held by 410 is probed as well, even without missed deliveries", async () => {
    const api = await newTenant(stack);
    let status = 410;
    await using receiver = receive(() => status);
    const { Id } = await api.connect(receiver.url);
    await api.settledChange({ Name: "Gate" });
    expect(await api.connection(Id)).toMatchObject({ State: "Held", HeldReason: "410 Gone" });
    status = 200;
    await until("it to be looked after", async () => (await statusOf(`WebhookConnection/${Id}/Probe`)) === "RUNNING");
    expect((await api.connection(Id)).State).toBe("Held");
    await api.change({ Name: "Next" });
    await until("the probe to arrive", async () => (await api.newestEvent()).State === "Delivered");
    expect((await api.connection(Id)).State).toBe("Active");
  });

  test("that is paused is not probed; set Active by hand, it gets the missed deliveries", async () => {
    const api = await newTenant(stack);
    let status = 500;
    await using receiver = receive(() => status);
    const { Id } = await hold(api, receiver);
    await api.change({ Name: "Missed" });
    await until("a probe", () => receiver.calls.some(({ payload }) => payload.Data.Name === "Missed"));
    await api.setState(Id, "Paused");
    await until("no probing", async () => (await statusOf(`WebhookConnection/${Id}/Probe`)) === "COMPLETED");
    expect(await api.connection(Id)).toMatchObject({ State: "Paused", HeldOn: null, HeldReason: null });
    status = 200;
    expect((await api.newestEvent()).State).toBe("Held");
    await api.setState(Id, "Active");
    await until("it to arrive", async () => (await api.newestEvent()).State === "Delivered");
  });

  test("with a paused drain says so wherever missing deliveries are explained", async () => {
    const api = await newTenant(stack);
    await using receiver = receive(() => 200);
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    for (let index = 1; index <= 12; index++) await api.change({ ...GATE, Name: `Gate ${index}` });
    await api.setState(Id, "Active");
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}`);
    const drainId = body.Items[0]!.Id;
    await api.changeRedelivery(drainId, { State: "Paused" });
    await api.change({ ...GATE, Name: "Meanwhile" });
    const words = "earlier missed deliveries are sent first, and its Drain is paused";
    const event = await api.newestEvent();
    expect(event).toMatchObject({ State: "Held", Reason: words });
    expect((await api.why(event.EventId)).Items).toMatchObject([{ Outcome: "Held", Reason: words }]);
    const [dead] = (await api.deadLetters(`ConnectionId=${Id}`)).Items;
    expect(dead).toMatchObject({ Ours: 0, Reasons: [{ Blame: "Configuration", Reason: "drain paused" }] });
    await api.changeRedelivery(drainId, { State: "Running" });
    await until("all to arrive", () => arrived(receiver).length === 13);
    expect(arrived(receiver).at(-1)).toBe("Meanwhile");
  });

  test("with a paused drain gets nothing more of it when a probe succeeds", async () => {
    const api = await newTenant(stack);
    let status = 410;
    await using receiver = receive(() => status);
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    for (let index = 1; index <= 4; index++) await api.change({ ...GATE, Name: `Gate ${index}` });
    await api.setState(Id, "Active");
    await until("it to be held", async () => (await api.connection(Id)).State === "Held");
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}`);
    const drainId = body.Items[0]!.Id;
    await api.changeRedelivery(drainId, { State: "Paused" });
    status = 200;
    await until("it to be Active", async () => (await api.connection(Id)).State === "Active");
    await api.change({ ...GATE, Name: "Meanwhile" });
    expect(await api.redelivery(drainId)).toMatchObject({ State: "Paused" });
    expect((await api.events("State=Held")).Items).toHaveLength(3);
    expect(arrived(receiver)).toEqual(["Gate 2"]);
    await api.changeRedelivery(drainId, { State: "Running" });
    await until("the rest", () => arrived(receiver).length === 4);
    expect(arrived(receiver)).toEqual(["Gate 2", "Gate 3", "Gate 4", "Meanwhile"]);
  });

  test("that is held by its drain's last delivery has a completed drain", async () => {
    const api = await newTenant(stack);
    await using receiver = receive(() => 410);
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    await api.change({ Name: "Gate" });
    await api.setState(Id, "Active");
    await until("it to be held", async () => (await api.connection(Id)).State === "Held");
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}`);
    const drain = await api.endedRedelivery(body.Items[0]!.Id);
    expect(drain).toMatchObject({ State: "Completed", Total: 1, Done: 1, Exhausted: 1 });
    await api.change({ Name: "Next" });
    expect((await api.settledEvent()).State).toBe("Held");
  });

  test("with a cancelled drain is Paused, and keeps the missed deliveries for the next drain", async () => {
    const api = await newTenant(stack);
    await using receiver = receive(() => 200);
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    for (let index = 1; index <= 12; index++) await api.change({ Name: `Gate ${index}` });
    await api.setState(Id, "Active");
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}`);
    const drainId = body.Items[0]!.Id;
    await api.changeRedelivery(drainId, { Rate: 1 });
    expect((await api.changeRedelivery(drainId, { State: "Cancelled" })).EndedOn).not.toBeNull();
    expect((await api.connection(Id)).State).toBe("Paused");
    const { Items } = await api.events("State=Held");
    expect(Items.length).toBeGreaterThan(0);
    await api.setState(Id, "Active");
    await until("the rest", async () => (await api.events("State=Delivered")).Items.length === 12);
    expect(arrived(receiver)).toHaveLength(12);
  });

  test("with a drain cancelled while held is Paused, and no longer probed", async () => {
    const api = await newTenant(stack);
    await using receiver = receive(() => 410);
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    for (let index = 1; index <= 3; index++) await api.change({ ...GATE, Name: `Gate ${index}` });
    await api.setState(Id, "Active");
    await until("it to be probed", async () => (await statusOf(`WebhookConnection/${Id}/Probe`)) === "RUNNING");
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}`);
    await api.changeRedelivery(body.Items[0]!.Id, { State: "Cancelled" });
    await until("the probes to end", async () => (await statusOf(`WebhookConnection/${Id}/Probe`)) === "COMPLETED");
    expect(await api.connection(Id)).toMatchObject({ State: "Paused", HeldOn: null, HeldReason: null });
    expect((await api.events("State=Held")).Items).toHaveLength(2);
  });
});

/** Fails until the connection is held. */
async function hold(api: Api, receiver: Receiver): Promise<ConnectionFields> {
  const { Id } = await api.connect(receiver.url);
  for (let index = 1; index <= HOLD_AFTER; index++) await api.change({ Name: `Straw ${index}` });
  return until("it to be held", async () => {
    const connection = await api.connection(Id);
    return connection.State === "Held" && connection;
  });
}

function receive(reply: (call: Call) => Reply): Receiver {
  return startReceiver(reply, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
}

/** The names in accepted calls, in the order of arrival. */
function arrived(receiver: Receiver): unknown[] {
  return receiver.calls.filter((call) => call.status === 200).map(({ payload }) => payload.Data.Name);
}

async function statusOf(workflowId: string): Promise<string | undefined> {
  const description = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return description?.status.name;
}

/** The current details of the workflow in the Temporal UI. */
async function detailsOf(workflowId: string): Promise<string> {
  const handle = client.workflow.getHandle(workflowId);
  return (await handle.query<{ currentDetails: string }>("__temporal_workflow_metadata")).currentDetails;
}

async function summaryOf(workflowId: string): Promise<string | undefined> {
  return (await client.workflow.getHandle(workflowId).describe()).staticSummary();
}
