// What a worker has started and what has not begun yet, shared out.

import { expect, test } from "bun:test";
import { BATCH, createInFlight } from "../../server/webhooks/deliveries/in-flight.ts";

const TENANTS = ["one", "other", "third"];

test("however much waits in queues, there is room for another tenant's change", () => {
  const inFlight = createInFlight();
  let started = 0;
  for (const tenant of TENANTS) {
    while (inFlight.queued.room(tenant) > 0) inFlight.queued.add(tenant, [`delivery ${++started}`]);
  }
  expect(started).toBeGreaterThan(0);
  expect(inFlight.fresh.isFull()).toBe(false);
  expect(inFlight.fresh.room("quiet")).toBeGreaterThanOrEqual(BATCH);
});

test("one tenant's queues leave half of the places to others, and a place is free again once its post begins", () => {
  const { queued, begin } = createInFlight();
  let calls = 0;
  queued.onRoom(() => calls++);
  let started = 0;
  while (queued.room("loud") > 0) queued.add("loud", [`delivery ${++started}`]);
  expect(queued.room("quiet")).toBe(started);
  begin("delivery 1");
  begin("delivery 1");
  expect([queued.room("loud"), calls]).toEqual([1, 1]);
});
