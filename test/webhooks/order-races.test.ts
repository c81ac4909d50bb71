// A claim beside everything that moves deliveries at the same moment. The claim is stopped by a lock at each of its
// looks at the deliveries, after its statement's snapshot. Then the move is made, or waits for the claim, which
// continues. So every order of the two happens, at any speed of the machine.

import { afterAll, expect, test } from "bun:test";
import { PAGE } from "../../server/webhooks/deliveries/candidates.store.ts";
import { findInactiveDeliveries } from "../../server/webhooks/deliveries/dispatch.store.ts";
import { discardHeld } from "../../server/webhooks/deliveries/held.store.ts";
import { enqueue, requeue } from "../../server/webhooks/deliveries/queue.store.ts";
import { countPostsInFlight } from "../../server/webhooks/deliveries/start-attempt.store.ts";
import { cancelDeliveries, closeOpenDelivery, revertAttempt } from "../../server/webhooks/deliveries/store.ts";
import { lockEventDeliveries, redeliver } from "../../server/webhooks/log/redeliver-event.store.ts";
import { until } from "../world/api.ts";
import { waits } from "../world/locks.ts";
import { setRows } from "../world/rows.ts";
import { openSessions, stoppedAt, World, waitsFor } from "./claim-stops.ts";

/** The rules, the queue, and what is left. */
const MIN_LOOKS = 3;
const GONE = { gone: "410 Gone", after: 1, probeInMs: 3_600_000 };

const sessions = await openSessions();
const { sql, movers } = sessions;

afterAll(() => sessions?.[Symbol.asyncDispose]());

interface Kind {
  order?: "None" | "Record";
  /** @returns the move that is made beside a claim */
  before(world: World): Promise<() => Promise<unknown>>;
  /** An older delivery is sent again, so it may wait behind a newer one. */
  isAgain?: boolean;
}

const KINDS: Record<string, Kind> = {
  "a retry goes back to the queue": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("a");
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "a first attempt without a place goes back for a while": {
    async before(world) {
      const first = await world.change("a");
      await world.claim();
      await world.change("a");
      return () => requeue(movers, world.tenantId, [first.id], 300);
    },
  },
  "an attempt is reverted, and its delivery returns to the queue": {
    async before(world) {
      const first = await world.change("a");
      await world.claim();
      const { number } = await world.open(first);
      await world.change("a");
      return async () => {
        await revertAttempt(movers, world.tenantId, first.eventId, first.id, number);
        await requeue(movers, world.tenantId, [first.id], 0);
      };
    },
  },
  "the reconciler finds one that its worker has lost": {
    async before(world) {
      const first = await world.change("a");
      await world.claim();
      await world.open(first);
      await world.change("a");
      const anHourAgo = new Date(Date.now() - 3_600_000);
      await setRows("deliveries", { id: first.id }, { changed_on: anHourAgo, attempt_started_on: anHourAgo }, sql);
      return async () => {
        const inactive = await findInactiveDeliveries(movers, 60_000, PAGE);
        expect(inactive.flatMap(({ deliveryIds }) => deliveryIds)).toEqual([first.id]);
        await requeue(movers, world.tenantId, [first.id], 0);
      };
    },
  },
  "one of its event's workflow is queued instead": {
    order: "None",
    async before(world) {
      const first = await world.change("a");
      await world.setOrder("Record");
      await world.change("a");
      return () => enqueue(movers, [first.id]);
    },
  },
  "one of its event's workflow goes back": {
    order: "None",
    async before(world) {
      const first = await world.change("a");
      await world.post(first, 500, "Retrying");
      await world.setOrder("Record");
      await world.change("a");
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "a retry goes back, and the next change is beyond the first page": {
    async before(world) {
      const first = await world.retrying("a");
      await world.changeMany("h");
      await world.change("a");
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "a retry of several records goes back": {
    async before(world) {
      const both = await world.retrying("ab");
      await world.change("b");
      await world.change("a");
      return () => requeue(movers, world.tenantId, [both.id], 0);
    },
  },
  "a retry of several records goes back, and the next changes are beyond the first page": {
    async before(world) {
      const both = await world.retrying("ab");
      await world.changeMany("h");
      await world.change("b");
      await world.change("a");
      return () => requeue(movers, world.tenantId, [both.id], 0);
    },
  },
  "a retry goes back before a change of several records": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("ab");
      await world.change("b");
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "a retry goes back during a drain": {
    async before(world) {
      const first = await world.retrying("a");
      await world.pause();
      await world.change("a");
      await world.change("ab");
      await world.resume();
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "a drained one goes back": {
    async before(world) {
      await world.pause();
      const first = await world.change("a");
      await world.change("a");
      await world.resume();
      await world.claim();
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "a retry goes back beside a replay": {
    isAgain: true,
    async before(world) {
      const former = await world.change("a");
      await world.claim();
      await world.post(former, 200, "Delivered");
      const first = await world.retrying("a");
      await world.replay();
      await world.change("a");
      return () => requeue(movers, world.tenantId, [first.id], 0);
    },
  },
  "the connection is held by the last failure": {
    async before(world) {
      const first = await world.change("a");
      await world.claim();
      const { number } = await world.open(first);
      await world.change("a");
      await world.change("b");
      const outcome = { reached: "Exhausted", hold: GONE, nextInMs: undefined } as const;
      return () => world.record(first, number, 410, outcome, movers);
    },
  },
  "the connection is paused, a retry becomes Held, and the connection is resumed": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("a");
      return async () => {
        await world.pause();
        await closeOpenDelivery(movers, world.tenantId, first.eventId, first.id, "Held");
        await world.resume();
      };
    },
  },
  "a retry goes back, and the connection is paused and resumed": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("a");
      return async () => {
        await requeue(movers, world.tenantId, [first.id], 0);
        await world.pause();
        await world.change("a", movers);
        await world.resume();
      };
    },
  },
  "a drain begins": {
    async before(world) {
      await world.pause();
      await world.change("a");
      await world.change("a");
      return () => world.resume();
    },
  },
  "held ones are discarded during a drain": {
    async before(world) {
      await world.pause();
      await world.change("a");
      await world.change("a");
      await world.resume();
      return () => discardHeld(movers, world.tenantId, world.id, new Date(), 0, 1);
    },
  },
  "all are cancelled": {
    async before(world) {
      await world.retrying("a");
      await world.change("a");
      return () => cancelDeliveries(movers, world.tenantId, world.id, undefined, PAGE);
    },
  },
  "one is cancelled in Temporal": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("a");
      return () => closeOpenDelivery(movers, world.tenantId, first.eventId, first.id, "Cancelled", 0);
    },
  },
  "an exhausted one is sent again": {
    isAgain: true,
    async before(world) {
      const first = await world.change("a");
      await world.claim();
      await world.post(first, 500, "Exhausted");
      await world.change("a");
      return () =>
        movers.begin(async (tx) => {
          await lockEventDeliveries(tx, world.tenantId, first.eventId, world.id);
          await redeliver(tx, world.tenantId, first.eventId, [first.id]);
        });
    },
  },
  "the record changes again": {
    async before(world) {
      await world.retrying("a");
      await world.change("b");
      return async () => {
        await world.change("a", movers);
        await world.change("ab", movers);
      };
    },
  },
  "another worker claims": {
    async before(world) {
      await world.change("a");
      await world.change("a");
      await world.change("b");
      return () => world.claim(movers);
    },
  },
  "a retry goes back, and another worker claims": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("a");
      return async () => {
        await requeue(movers, world.tenantId, [first.id], 0);
        await world.claim(movers);
      };
    },
  },
  "the order is set to Record, and a retry goes back": {
    order: "None",
    async before(world) {
      const first = await world.change("a");
      await world.post(first, 500, "Retrying");
      return async () => {
        await world.setOrder("Record");
        await world.change("a", movers);
        await requeue(movers, world.tenantId, [first.id], 0);
      };
    },
  },
  "MaxInFlight is set, and a retry goes back": {
    async before(world) {
      const first = await world.retrying("a");
      await world.change("a");
      return async () => {
        await world.locked(async (tx) => {
          await setRows("webhook_connections", { id: world.id }, { max_in_flight: 5 }, tx);
          await countPostsInFlight(tx, world.tenantId, world.id);
        });
        await requeue(movers, world.tenantId, [first.id], 0);
      };
    },
  },
};

// In sequence, because they share the counter of looks.
test.each(Object.keys(KINDS))("the order is kept if, beside a claim, %s", async (name) => {
  const { order = "Record", before, isAgain = false } = KINDS[name]!;
  const found: string[] = [];
  let look = 1;
  for (let isStopped = true; isStopped; look++) {
    const world = await new World(sessions).make(order);
    isStopped = await stoppedAt(sessions, look, () => world.claim(sessions.claimers), await before(world));
    for (const problem of await world.problems(isAgain)) found.push(`look ${look}: ${problem}`);
    const calls = await world.delivered();
    if (!isAgain && !inOrder(calls)) found.push(`look ${look}: called in the order ${calls.join(", ")}`);
  }
  expect(look).toBeGreaterThan(MIN_LOOKS);
  expect(found).toEqual([]);
});

test("Order is not set while a delivery goes back to the queue", async () => {
  const world = await new World(sessions).make("None");
  const { id } = await world.change("a");
  const moved = Promise.withResolvers<unknown>();
  const goOn = Promise.withResolvers<void>();
  const moving = movers.begin(async (tx) => {
    moved.resolve(await enqueue(tx, [id]));
    await goOn.promise;
  });
  expect(await moved.promise).toEqual([id]);
  const setting = world.setOrder("Record");
  await until("it to wait", async () => waitsFor(await waits(sql), "order moves"));
  goOn.resolve();
  await Promise.all([moving, setting]);
});

/** Each record's calls in the order of its changes. */
function inOrder(calls: string[]): boolean {
  const newest = new Map<string, number>();
  return calls.every((name) => {
    const number = Number(name.replace(/^[a-z]+/, ""));
    const records = [...name.replace(/\d+$/, "")];
    const isLater = records.every((record) => number > (newest.get(record) ?? 0));
    for (const record of records) newest.set(record, number);
    return isLater;
  });
}
