// Explanations of why a connection got an event, based on its state when the event occurred.

import { describe, expect, test } from "bun:test";
import type { ConnectionId } from "../../server/platform/ids.ts";
import { temporal } from "../support/temporal.ts";
import { type Api, ok, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, savePolicy } from "../world/tenant.ts";

const HOOK = "https://hooks.example/";
const TIME = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";

describe.concurrent("a connection that got no event", () => {
  test("was not subscribed to its entity or its kind", async () => {
    const api = await newTenant();
    const department = await api.connect(HOOK, { Entities: ["Department"] });
    const deleted = await api.connect(HOOK, { Events: ["Deleted"] });
    const neither = await api.connect(HOOK, { Entities: ["Department"], Events: ["Updated"] });
    const eventId = await changed(api);
    expect(await reason(api, eventId, department)).toEqual(["NotSubscribed", "not subscribed to Application"]);
    expect(await reason(api, eventId, deleted)).toEqual(["NotSubscribed", "not subscribed to Created"]);
    expect(await reason(api, eventId, neither)).toEqual([
      "NotSubscribed",
      "not subscribed to Application, nor to Created",
    ]);
  });

  test("was subscribed later, which does not change the past", async () => {
    const api = await newTenant();
    const connection = await api.connect(HOOK, { Events: ["Deleted"] });
    const eventId = await changed(api);
    await api.connect(HOOK, { Id: connection.Id, Events: ["Created"] });
    expect(await reason(api, eventId, connection)).toEqual([
      "NotSubscribed",
      "not subscribed to Created at that time; it is now",
    ]);
    await api.disconnect(connection.Id);
    expect(await reason(api, eventId, connection)).toEqual(["NotSubscribed", "not subscribed to Created"]);
  });

  test("was created after it, or deleted before it", async () => {
    const api = await newTenant();
    const gone = await api.connect(HOOK);
    await api.disconnect(gone.Id);
    const eventId = await changed(api);
    const late = await api.connect(HOOK, { Name: "late" });
    expect(await reason(api, eventId, gone)).toEqual(["AlreadyDeleted", matching(`^deleted at ${TIME}$`)]);
    expect(await reason(api, eventId, late)).toEqual([
      "NotYetCreated",
      matching(`^created after the event, at ${TIME}$`),
    ]);
  });

  test("had been deleted, though its receiver answered 410 later", async () => {
    const api = await newTenant();
    let answer: (status: number) => void;
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    await using receiver = startReceiver(() => answered);
    const gone = await api.connect(receiver.url);
    const before = await changed(api, "Before");
    await until("the post", () => receiver.calls.length === 1);
    await api.disconnect(gone.Id);
    const [, deletedThen] = await reason(api, await changed(api, "Between"), gone);
    answer!(410);
    await until("the answer", async () => (await api.event(before)).Deliveries[0]!.Attempts.length === 1);
    expect(await reason(api, await changed(api, "After"), gone)).toEqual(["AlreadyDeleted", deletedThen]);
  });

  test("is not the one that was pinged", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const tried = await api.connect(receiver.url);
    const other = await api.connect(HOOK);
    const { EventId } = await api.settled(await api.ping(tried.Id));
    expect(await reason(api, EventId, tried)).toEqual(["Delivered", expect.stringContaining("1st attempt")]);
    expect(await reason(api, EventId, other)).toEqual(["NotConcerned", "a ping goes only to the connection it tests"]);
  });
});

describe.concurrent("a connection with a delivery", () => {
  test("got it at an attempt, after a time", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([500, 200]);
    const connection = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    expect(await reason(api, EventId, connection)).toEqual([
      "Delivered",
      matching("^delivered at the 2nd attempt, \\d+ (ms|s) after the event$"),
    ]);
  });

  test("used up its attempts, with the last response", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([500, 502, 503]);
    const connection = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    expect(await reason(api, EventId, connection)).toEqual(["Exhausted", "exhausted: 3 attempts, last 503"]);
  });

  test("was larger than the receiver accepts", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([413, 413, 413]);
    const connection = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    const why = "exhausted: 3 attempts, last 413, because the payload is larger than the receiver accepts";
    expect(await reason(api, EventId, connection)).toEqual(["Exhausted", why]);
  });

  test("is waiting for a retry", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(new Response(null, { status: 503, headers: { "retry-after": "60" } }));
    const connection = await api.connect(receiver.url);
    const eventId = await changed(api);
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    expect(await reason(api, eventId, connection)).toEqual([
      "Retrying",
      "the 1st attempt failed with 503, a retry follows",
    ]);
    await api.setState(connection.Id, "Paused");
    expect(await reason(api, eventId, connection)).toEqual([
      "Retrying",
      "the 1st attempt failed with 503; it will be Held, because the connection is Paused",
    ]);
    await api.disconnect(connection.Id);
    expect(await reason(api, eventId, connection)).toEqual([
      "Cancelled",
      matching(`^cancelled: the connection was deleted at ${TIME}$`),
    ]);
  });

  test("was cancelled by hand, also if the connection is deleted later", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(new Response(null, { status: 503, headers: { "retry-after": "60" } }));
    const connection = await api.connect(receiver.url);
    const eventId = await changed(api);
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    await (await temporal()).workflow.getHandle((await api.event(eventId)).WorkflowId).cancel();
    await api.settled(eventId);
    expect(await reason(api, eventId, connection)).toEqual([
      "Cancelled",
      "cancelled by Discard, by the erasure of a person, or in Temporal",
    ]);
    await api.disconnect(connection.Id);
    expect(await reason(api, eventId, connection)).toEqual([
      "Cancelled",
      "cancelled by Discard, by the erasure of a person, or in Temporal",
    ]);
  });

  test("was paused, and got it after that", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const connection = await api.connect(receiver.url);
    await api.setState(connection.Id, "Paused");
    const pausedBy = new Date();
    // A change outside its state leaves the time of its pause unchanged.
    await api.connect(receiver.url, { Id: connection.Id, Events: ["Created"] });
    const eventId = await changed(api);
    const [outcome, words] = await reason(api, eventId, connection);
    expect([outcome, words]).toEqual(["Held", matching(`^paused since ${TIME}$`)]);
    expect(new Date(words.slice("paused since ".length)).getTime()).toBeLessThanOrEqual(pausedBy.getTime());
    await api.setState(connection.Id, "Active");
    await api.settled(eventId);
    await until("the delivery", async () => (await api.event(eventId)).State === "Delivered");
    expect(await reason(api, eventId, connection)).toEqual([
      "Delivered",
      matching("^delivered at the 1st attempt, .* after the event; the connection was paused at first$"),
    ]);
  });

  test("was held by its receiver's 410", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(410);
    const connection = await api.connect(receiver.url);
    const first = await api.settledChange({ Name: "Gate" });
    expect(await reason(api, first.EventId, connection)).toEqual(["Exhausted", "exhausted: 1 attempt, last 410"]);
    const next = await api.settledChange({ Name: "Next" });
    expect(await reason(api, next.EventId, connection)).toEqual(["Held", matching(`^held since ${TIME}`)]);
  });
});

describe.concurrent("the answer", () => {
  test("is a list, newest first, with every connection once, in pages", async () => {
    const api = await newTenant();
    const made: ConnectionId[] = [];
    for (const Name of ["one", "two", "three"])
      made.unshift((await api.connect(HOOK, { Name, Events: ["Deleted"] })).Id);
    const eventId = await changed(api);
    const whole = await api.why(eventId);
    expect(whole.Items.map((item) => item.ConnectionId)).toEqual(made);
    expect(whole.Items[0]).toEqual({
      ...{ ConnectionId: made[0]!, ConnectionName: "three", Outcome: "NotSubscribed" },
      ...{ Reason: "not subscribed to Created", DeliveryId: null },
    });
    const first = await api.why(eventId, "Limit=2");
    const second = await api.why(eventId, `Limit=2&Cursor=${first.Next}`);
    expect([...first.Items, ...second.Items]).toEqual(whole.Items);
    expect(second.Next).toBeNull();
  });

  test("omits connections that a policy hides, and requires access to the event", async () => {
    const caller = await newTenant();
    const fields = { URL: HOOK, Entities: ["User"], Events: ["Deleted"] };
    await caller.made("WebhookConnection", { ...fields, Name: "hidden" });
    await caller.made("WebhookConnection", { ...fields, Name: "shown" });
    await caller.made("Application", { Name: "Gate" });
    const { EventId } = (await ok(caller.get("/WebhookEvent?Limit=1"))).Items[0];
    await savePolicy(
      caller,
      "hide",
      'forbid (principal, action == Action::"Webhooks:Read", resource is WebhookConnection) when { resource.Name == "hidden" };',
    );
    const { Items } = await ok(caller.get(`/WebhookEvent/${EventId}/Why`));
    expect(Items.map((item: { ConnectionName: string }) => item.ConnectionName)).toEqual(["shown"]);
    await savePolicy(
      caller,
      "hide",
      'forbid (principal, action == Action::"Webhooks:Read", resource is WebhookEvent);',
    );
    expect((await caller.get(`/WebhookEvent/${EventId}/Why`)).status).toBe(403);
    const weak = await caller.withScope("Webhooks:Update");
    expect((await weak.get(`/WebhookEvent/${EventId}/Why`)).status).toBe(403);
  });

  test("does not include other tenants", async () => {
    const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
    const connection = await api.connect(HOOK, { Events: ["Deleted"] });
    const eventId = await changed(api);
    expect((await stranger.call("GET", `/WebhookEvent/${eventId}/Why`)).status).toBe(404);
    const own = await changed(stranger);
    expect((await stranger.why(own, `ConnectionId=${connection.Id}`)).Items).toEqual([]);
  });
});

async function changed(api: Api, Name = "Gate"): Promise<string> {
  await api.change({ Name });
  return (await api.newestEvent()).EventId;
}

async function reason(api: Api, eventId: string, { Id }: { Id: ConnectionId }): Promise<[string, string]> {
  const { Items } = await api.why(eventId, `ConnectionId=${Id}`);
  expect(Items.map((item) => item.ConnectionId)).toEqual([Id]);
  return [Items[0]!.Outcome, Items[0]!.Reason];
}

const matching = (pattern: string) => expect.stringMatching(new RegExp(pattern));
