// Options of a connection: order, a rate, and a limit of concurrent posts.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { WorkflowNotFoundError } from "@temporalio/client";
import { startSecondApi } from "../support/second-api.ts";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, signIn, until } from "../world/api.ts";
import { type Call, type Receiver, startReceiver } from "../world/receiver.ts";
import { expire, pileUp, rowsOf, setRows } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";

const client = await temporal();
const RECORDS = 10;
const CHANGES = 100;
const CHANGE_EVERY_MS = 50;
/** One in this number of events fails at first. */
const FAILING = 20;
/** Changes of one record, more than a worker reads at a time. */
const MANY = 1_100;

describe.concurrent("a connection with Order Record", () => {
  test("gets the changes of each record in order, though some fail at first", async () => {
    const api = await newTenant();
    let seen = 0;
    await using receiver = startReceiver(({ count }) => (count === 1 && ++seen % FAILING === 0 ? 500 : 200));
    await api.connect(receiver.url, { Order: "Record" });
    const changes: Promise<unknown>[] = [];
    for (let index = 0; index < CHANGES; index++) {
      changes.push(api.change({ ExternalId: `gate ${index % RECORDS}`, Name: `Gate ${index % RECORDS} ${index}` }));
      await Bun.sleep(CHANGE_EVERY_MS);
    }
    await Promise.all(changes);
    await until("all to arrive", () => taken(receiver).length === CHANGES);
    expect(receiver.calls.length).toBeGreaterThan(CHANGES);
    expect(outOfOrder(receiver)).toEqual([]);
  });

  test("gets them in commit order, whatever the clocks of the APIs said", async () => {
    const clock = ["--preload", join(import.meta.dir, "..", "oauth", "clock-ahead.ts")];
    await using ahead = await startSecondApi({ CLOCK_AHEAD_MS: "2000" }, clock);
    const api = await newTenant();
    const apis = [api, await signIn(ahead.url, api.tenant)];
    await using receiver = startReceiver(({ count, payload }) =>
      count === 1 && String(payload.Data.Name).endsWith("4") ? 500 : 200,
    );
    await api.connect(receiver.url, { Order: "Record" });
    for (let index = 0; index < 20; index++) {
      await apis[index % 2]!.change({ ExternalId: "gate", Name: `Gate ${index}` });
    }
    await until("all to arrive", () => taken(receiver).length === 20);
    expect(outOfOrder(receiver)).toEqual([]);
    const eventIds = taken(receiver).map(({ payload }) => payload.EventId);
    expect(eventIds).not.toEqual(eventIds.toSorted());
  });

  test("continues with a record's next delivery after an exhausted one", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.Data.Name === "First" ? 500 : 200));
    await api.connect(receiver.url, { Order: "Record" });
    await api.change({ ExternalId: "gate", Name: "First" });
    await api.change({ ExternalId: "gate", Name: "Second" });
    await until("the second", () => taken(receiver).length === 1);
    expect(receiver.calls.map(({ payload }) => payload.Data.Name)).toEqual(["First", "First", "First", "Second"]);
  });

  test("does not delay deliveries of other records", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ payload }) => (payload.Data.Name === "First" ? answer.promise : 200));
    await api.connect(receiver.url, { Order: "Record", TimeoutMs: 30_000 });
    await api.change({ ExternalId: "gate", Name: "First" });
    await api.change({ ExternalId: "gate", Name: "Second" });
    await api.change({ ExternalId: "door", Name: "Third" });
    await until("the other record's", () => receiver.calls.some(({ payload }) => payload.Data.Name === "Third"));
    expect(receiver.calls.map(({ payload }) => payload.Data.Name)).not.toContain("Second");
    answer.resolve(200);
    await until("the rest", () => receiver.calls.some(({ payload }) => payload.Data.Name === "Second"));
  });

  test.each(["out", "missed"])(
    "gets an event of several records, one of them %s, before later events of any of them",
    async (first) => {
      const api = await newTenant();
      const answers: Record<string, PromiseWithResolvers<number>> = {
        First: Promise.withResolvers(),
        Both: Promise.withResolvers(),
      };
      await using receiver = startReceiver((call) => answers[String(nameOf(call))]?.promise ?? 200);
      await api.change({ ExternalId: "gate", Name: "Gate" });
      await api.change({ ExternalId: "door", Name: "Door" });
      const { Id } = await api.connect(receiver.url, { Order: "Record", TimeoutMs: 30_000 });
      if (first === "missed") await api.setState(Id, "Paused");
      await api.change({ ExternalId: "gate", Name: "First" });
      const both = await api.call("PATCH", "/Application", [
        { ExternalId: "gate", Name: "Both" },
        { ExternalId: "door", Name: "Other of both" },
      ]);
      expect(both.status).toBe(200);
      await api.change({ ExternalId: "door", Name: "After both" });
      await api.change({ ExternalId: "lift", Name: "Other" });
      if (first === "missed") await api.setState(Id, "Active");
      await until("one of each record", () => receiver.calls.length >= 2);
      expect(receiver.calls.map(nameOf).toSorted()).toEqual(["First", "Other"]);
      answers.First!.resolve(200);
      await until("the one of both to be out", () => receiver.calls.length === 3);
      // Later changes were selected meanwhile, and older ones skipped.
      await api.change({ ExternalId: "lift", Name: "Later" });
      await until("the later one", () => receiver.calls.some((call) => nameOf(call) === "Later"));
      expect(receiver.calls.slice(2).map(nameOf)).toEqual(["Both", "Later"]);
      answers.Both!.resolve(200);
      await until("the rest", () => taken(receiver).length === 5);
      expect(receiver.calls.slice(4).map(nameOf)).toEqual(["After both"]);
    },
  );

  test("does not delay other records behind one with many changes", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.Data.Name === "Door" ? 200 : "hang"));
    const { Id } = await api.connect(receiver.url, { Order: "Record", TimeoutMs: 30_000 });
    await api.change({ Name: "Gate" });
    await pileUp(db(), (await api.newestEvent()).EventId, MANY);
    await api.change({ Name: "Door" });
    await until("the other record's", () => taken(receiver).length === 1);
    await api.disconnect(Id);
  });

  test("finishes deliveries in flight when its order was set before sending later ones", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ payload }) => (payload.Data.Name === "First" ? answer.promise : 200));
    const { Id } = await api.connect(receiver.url, { TimeoutMs: 30_000 });
    await api.change({ ExternalId: "gate", Name: "First" });
    await until("it to be out", () => receiver.calls.length === 1);
    await api.call("PATCH", "/WebhookConnection", { Id, Order: "Record" });
    await api.change({ ExternalId: "gate", Name: "Second" });
    await api.change({ ExternalId: "door", Name: "Third" });
    await until("the other record's", () => taken(receiver).length === 1);
    expect(receiver.calls.map(({ payload }) => payload.Data.Name)).toEqual(["First", "Third"]);
    answer.resolve(200);
    await until("the rest", () => taken(receiver).length === 3);
  });
});

describe.concurrent("a connection that is resumed", () => {
  test("gets waiting and missed deliveries in record order, however soon it is resumed", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ headers }) =>
      headers.get("webhook-sequence") === "1" ? answer.promise : 200,
    );
    const { Id } = await api.connect(receiver.url, { Order: "Record", TimeoutMs: 30_000 });
    await api.change({ ExternalId: "gate", Name: "Gate" });
    await pileUp(db(), (await api.newestEvent()).EventId, MANY);
    await until("the first to be out", () => receiver.calls.length === 1);
    await api.setState(Id, "Paused");
    await until("some to be held", async () => (await api.events("State=Held&Limit=1")).Items.length > 0);
    await api.setState(Id, "Active");
    answer.resolve(200);
    await until("some of it", () => taken(receiver).length >= 10);
    const arrived = taken(receiver).map(({ headers }) => Number(headers.get("webhook-sequence")));
    expect(arrived).toEqual(arrived.map((_, index) => index + 1));
    await api.disconnect(Id);
  });

  test("counts redrained deliveries once, even if they returned to the queue during a pause", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ count }) => (count === 1 ? answer.promise : 200));
    const { Id } = await api.connect(receiver.url, { State: "Paused", RatePerSecond: 1, TimeoutMs: 30_000 });
    for (let index = 0; index < 3; index++) await api.change({ ExternalId: "gate", Name: `Gate ${index}` });
    await api.setState(Id, "Active");
    await until("one to be out", () => receiver.calls.length === 1);
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Redelivery?ConnectionId=${Id}`);
    const drainId = body.Items[0]!.Id;
    await api.changeRedelivery(drainId, { State: "Paused" });
    await setRows("webhook_connections", { id: Id }, { next_post_on: new Date(Date.now() + 3_600_000) });
    answer.resolve(503);
    await until("it to be held", async () => (await api.events("State=Held")).Items.length === 3);
    await expire("webhook_connections", { id: Id }, "next_post_on");
    await api.changeRedelivery(drainId, { State: "Running" });
    expect(await api.endedRedelivery(drainId)).toMatchObject({ State: "Completed", Total: 3, Done: 3, Delivered: 3 });
  });

  test("uses one workflow for deliveries that arrive meanwhile, once they are claimed", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ count }) => (count === 1 ? answer.promise : 200));
    const { Id } = await api.connect(receiver.url, { State: "Paused", TimeoutMs: 30_000 });
    for (let index = 0; index < 2; index++) await api.change({ ExternalId: "gate", Name: `Gate ${index}` });
    await api.setState(Id, "Active");
    await until("the first that it has missed to be out", () => receiver.calls.length === 1);
    await api.change({ ExternalId: "gate", Name: "Gate meanwhile" });
    const { EventId, WorkflowId: own } = await api.newestEvent();
    const dispatched = async () => (await rowsOf("dispatches", { event_id: EventId })).length === 0;
    await until("it to be dispatched", dispatched);
    await expect(client.workflow.getHandle(own).describe()).rejects.toThrow(WorkflowNotFoundError);
    answer.resolve(200);
    await until("all to arrive", () => taken(receiver).length === 3);
    const { Deliveries, WorkflowId, WorkflowUrl } = await api.settled(EventId);
    expect(Deliveries).toEqual([expect.objectContaining({ State: "Delivered", WorkflowId, WorkflowUrl })]);
    await finished(client, WorkflowId);
  });

  test("gets missed and new deliveries in the order of each record", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    const held = 40;
    for (let index = 0; index < held; index++) await changeOne(api, index);
    await api.setState(Id, "Active");
    await until("the drain to be under way", () => receiver.calls.length > 0);
    for (let index = held; index < 2 * held; index++) await changeOne(api, index);
    await until("all to arrive", () => receiver.calls.length >= 2 * held);
    expect(receiver.calls).toHaveLength(2 * held);
    expect(outOfOrder(receiver)).toEqual([]);
  });
});

describe.concurrent("a connection with a limit", () => {
  test("gets at most RatePerSecond calls in a second", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { RatePerSecond: 5 });
    for (let index = 0; index < 15; index++) await changeOne(api, index);
    await until("all to arrive", () => receiver.calls.length === 15);
    const times = receiver.calls.map(({ at }) => at.getTime()).toSorted((a, b) => a - b);
    // Fourteen waits of 200 ms; one call may be late and the next not.
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(2_000);
  });

  test("keeps a distant retry in the queue, not in its workflow's task", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ count }) => (count === 1 ? answer.promise : 200));
    const { Id } = await api.connect(receiver.url, { RatePerSecond: 1, TimeoutMs: 30_000 });
    await api.change({ Name: "Gate" });
    await until("it to be out", () => receiver.calls.length === 1);
    const nextTurn = (inSeconds: number) =>
      setRows("webhook_connections", { id: Id }, { next_post_on: new Date(Date.now() + inSeconds * 1_000) });
    await nextTurn(3_600);
    answer.resolve(503);
    const { WorkflowId } = await api.newestEvent();
    const [outcome] = (await client.workflow.getHandle(WorkflowId).result()) as { state: string }[];
    expect(outcome!.state).toBe("Queued");
    expect((await api.newestEvent()).State).toBe("Retrying");
    await nextTurn(0);
    await until("it to arrive", () => taken(receiver).length === 1);
    expect((await api.settledEvent()).State).toBe("Delivered");
  });

  test("gets all of a replay, also beside changes in the same queue", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id: ConnectionId } = await api.connect(receiver.url, { RatePerSecond: 100 });
    for (let index = 0; index < 12; index++) await changeOne(api, index);
    await until("all", async () => (await api.events("State=Delivered")).Items.length === 12);
    const replayed = (await api.events()).Items.map(({ EventId }) => EventId);
    const { Id } = await api.replay({ ConnectionId, States: ["Delivered"], Rate: 8 });
    for (let index = 12; index < 27; index++) await changeOne(api, index);
    expect(await api.endedRedelivery(Id)).toMatchObject({ State: "Completed", Total: 12, Done: 12, Delivered: 12 });
    expect(replayed.map((eventId) => receiver.callsFor(eventId).length)).toEqual(replayed.map(() => 2));
  });

  test("is not locked when an event is requested repeatedly while it is sent", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { RatePerSecond: 50 });
    for (let index = 0; index < 60; index++) await api.change({ Name: `Gate ${index}` });
    const askFor = async () => {
      const statuses: number[] = [];
      for (;;) {
        const next = (await api.events("State=Pending&Limit=200")).Items.at(-1);
        if (!next) return statuses;
        for (let time = 0; time < 5; time++) statuses.push((await api.redeliver(next.EventId)).status);
      }
    };
    const answers = await Promise.all([askFor(), askFor()]);
    expect(answers.flat().filter((status) => status !== 200 && status !== 409)).toEqual([]);
  });

  test("counts posts that were in flight before its MaxInFlight was set", async () => {
    const api = await newTenant();
    const answer = Promise.withResolvers<number>();
    let inFlight = 0;
    let max = 0;
    const count = async () => {
      max = Math.max(max, ++inFlight);
      const status = await answer.promise;
      inFlight--;
      return status;
    };
    await using receiver = startReceiver(count);
    await using other = startReceiver();
    const { Id } = await api.connect(receiver.url, { TimeoutMs: 30_000 });
    await api.connect(other.url);
    for (let index = 0; index < 2; index++) await changeOne(api, index);
    await until("two to be out", () => inFlight === 2);
    await api.call("PATCH", "/WebhookConnection", { Id, MaxInFlight: 2 });
    for (let index = 2; index < 20; index++) await changeOne(api, index);
    await until("the other receiver to have all", () => other.calls.length === 20);
    expect(max).toBe(2);
    answer.resolve(200);
    await until("the rest", () => taken(receiver).length === 20);
    expect(max).toBe(2);
  });

  test("has at most MaxInFlight calls in flight", async () => {
    const api = await newTenant();
    let inFlight = 0;
    let max = 0;
    await using receiver = startReceiver(async () => {
      max = Math.max(max, ++inFlight);
      await Bun.sleep(100);
      inFlight--;
      return 200;
    });
    await api.connect(receiver.url, { MaxInFlight: 2 });
    await Promise.all(Array.from({ length: 20 }, (_, index) => changeOne(api, index)));
    await until("all to arrive", () => receiver.calls.length === 20);
    expect(max).toBe(2);
  });
});

function changeOne(api: Api, index: number): Promise<unknown> {
  return api.change({ ExternalId: `gate ${index % RECORDS}`, Name: `Gate ${index % RECORDS} ${index}` });
}

/** For an event of several records, the first one's name. */
const nameOf = ({ payload }: Call) => [payload.Data].flat()[0]!.Name;

const taken = (receiver: Receiver) => receiver.calls.filter(({ status }) => status === 200);

/** Records with a change that arrived after a later one. */
function outOfOrder(receiver: Receiver): string[] {
  const newest = new Map<string, number>();
  return taken(receiver).flatMap(({ payload, headers }) => {
    const record = String(payload.Data.Id);
    const sequence = Number(headers.get("webhook-sequence"));
    const before = newest.get(record) ?? 0;
    newest.set(record, Math.max(before, sequence));
    return sequence > before ? [] : [`${record}: ${sequence} after ${before}`];
  });
}
