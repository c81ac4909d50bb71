// Started workflows before their first post, and fair shares of them.

import { expect, test } from "bun:test";
import type { DeliveryId, TenantId } from "../../../server/platform/ids.ts";
import { BATCH, createStartingWorkflows } from "../../../server/webhooks/deliveries/starting.ts";
import { idOf } from "../../world/api.ts";

const TENANTS = ["one", "other", "third"].map(idOf<TenantId>);
const [LOUD, QUIET] = [idOf<TenantId>("loud"), idOf<TenantId>("quiet")];
const delivery = (number: number) => idOf<DeliveryId>(`delivery ${number}`);

test("however many queues wait, another tenant's change can start", () => {
  const starting = createStartingWorkflows();
  let started = 0;
  for (const tenant of TENANTS) {
    while (starting.claimed.free(tenant) > 0) starting.claimed.add(tenant, [delivery(++started)]);
  }
  expect(started).toBeGreaterThan(0);
  expect(starting.dispatched.isFull()).toBe(false);
  expect(starting.dispatched.free(QUIET)).toBeGreaterThanOrEqual(BATCH);
});

test("one tenant's queues leave half of the limit to others, and a workflow no longer counts once its post begins", () => {
  const { claimed, end } = createStartingWorkflows();
  let calls = 0;
  claimed.onFree(() => calls++);
  let started = 0;
  while (claimed.free(LOUD) > 0) claimed.add(LOUD, [delivery(++started)]);
  expect(claimed.free(QUIET)).toBe(started);
  end(delivery(1));
  end(delivery(1));
  expect([claimed.free(LOUD), calls]).toEqual([1, 1]);
});
