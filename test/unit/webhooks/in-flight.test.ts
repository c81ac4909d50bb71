// Started workflows before their first post, and fair shares of them.

import { expect, test } from "bun:test";
import type { DeliveryId, TenantId } from "../../../server/ids.ts";
import { BATCH, createInFlight } from "../../../server/webhooks/deliveries/in-flight.ts";
import { idOf } from "../../support/ids.ts";

const TENANTS = ["one", "other", "third"].map(idOf<TenantId>);
const [LOUD, QUIET] = [idOf<TenantId>("loud"), idOf<TenantId>("quiet")];
const delivery = (number: number) => idOf<DeliveryId>(`delivery ${number}`);

test("however many queues wait, there is room for another tenant's change", () => {
  const inFlight = createInFlight();
  let started = 0;
  for (const tenant of TENANTS) {
    while (inFlight.queued.room(tenant) > 0) inFlight.queued.add(tenant, [delivery(++started)]);
  }
  expect(started).toBeGreaterThan(0);
  expect(inFlight.fresh.isFull()).toBe(false);
  expect(inFlight.fresh.room(QUIET)).toBeGreaterThanOrEqual(BATCH);
});

test("one tenant's queues leave half of the places to others, and a place is free again once its post begins", () => {
  const { queued, begin } = createInFlight();
  let calls = 0;
  queued.onRoom(() => calls++);
  let started = 0;
  while (queued.room(LOUD) > 0) queued.add(LOUD, [delivery(++started)]);
  expect(queued.room(QUIET)).toBe(started);
  begin(delivery(1));
  begin(delivery(1));
  expect([queued.room(LOUD), calls]).toEqual([1, 1]);
});
