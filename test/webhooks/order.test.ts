// What a connection may ask for: order, a rate, and a bound of what is in flight.

import { describe, expect, test } from "bun:test";
import { type Api, until } from "../support/api.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";

const PATIENCE_MS = 60_000;
const RECORDS = 10;
const CHANGES = 100;
const CHANGE_EVERY_MS = 50;
/** One in so many events fails at first. */
const FAILING = 20;

describe.concurrent("a connection with Order Record", () => {
  test("gets the changes of each record in their order, though some fail at first", async () => {
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
    await until("all to arrive", () => taken(receiver).length === CHANGES, PATIENCE_MS);
    expect(receiver.calls.length).toBeGreaterThan(CHANGES);
    expect(outOfOrder(receiver)).toEqual([]);
  }, 120_000);

  test("has one that is exhausted pass the next one of its record", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.Data.Name === "First" ? 500 : 200));
    await api.connect(receiver.url, { Order: "Record" });
    await api.change({ ExternalId: "gate", Name: "First" });
    await api.change({ ExternalId: "gate", Name: "Second" });
    await until("the second", () => taken(receiver).length === 1, PATIENCE_MS);
    expect(receiver.calls.map(({ payload }) => payload.Data.Name)).toEqual(["First", "First", "First", "Second"]);
  }, 120_000);

  test("keeps a delivery of one record from no other record", async () => {
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
  }, 120_000);
});

describe.concurrent("a connection that is resumed", () => {
  test("gets what it has missed and what happens meanwhile in the order of each record", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { State: "Paused" });
    const held = 40;
    for (let index = 0; index < held; index++) await changeOne(api, index);
    await api.setState(Id, "Active");
    await until("the drain to be under way", () => receiver.calls.length > 0, PATIENCE_MS);
    for (let index = held; index < 2 * held; index++) await changeOne(api, index);
    await until("all to arrive", () => receiver.calls.length >= 2 * held, PATIENCE_MS);
    expect(receiver.calls).toHaveLength(2 * held);
    expect(outOfOrder(receiver)).toEqual([]);
  }, 180_000);
});

describe.concurrent("a connection with a limit", () => {
  test("has no more calls in a second than its RatePerSecond", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { RatePerSecond: 5 });
    for (let index = 0; index < 15; index++) await changeOne(api, index);
    await until("all to arrive", () => receiver.calls.length === 15, PATIENCE_MS);
    const times = receiver.calls.map(({ at }) => at.getTime()).toSorted((a, b) => a - b);
    // Fourteen waits of 200 ms; a call may be a little late, and the next one not.
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(2_000);
  }, 120_000);

  test("has no more calls in flight than its MaxInFlight", async () => {
    const api = await newTenant();
    let inFlight = 0;
    let most = 0;
    await using receiver = startReceiver(async () => {
      most = Math.max(most, ++inFlight);
      await Bun.sleep(100);
      inFlight--;
      return 200;
    });
    await api.connect(receiver.url, { MaxInFlight: 2 });
    await Promise.all(Array.from({ length: 20 }, (_, index) => changeOne(api, index)));
    await until("all to arrive", () => receiver.calls.length === 20, PATIENCE_MS);
    expect(most).toBe(2);
  }, 120_000);
});

function changeOne(api: Api, index: number): Promise<unknown> {
  return api.change({ ExternalId: `gate ${index % RECORDS}`, Name: `Gate ${index % RECORDS} ${index}` });
}

const taken = (receiver: Receiver) => receiver.calls.filter(({ status }) => status === 200);

/** Records of which a change came after a later one. */
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
