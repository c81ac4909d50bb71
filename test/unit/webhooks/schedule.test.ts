// Selection of the next queue.

import { describe, expect, test } from "bun:test";
import type { ConnectionId, TenantId } from "../../../server/platform/ids.ts";
import { createSchedule } from "../../../server/webhooks/deliveries/schedule.ts";
import { idOf, until } from "../../world/api.ts";

const LONG_MS = 3_600_000;
const loud = (connectionId: string) => ({
  tenantId: idOf<TenantId>("loud"),
  connectionId: idOf<ConnectionId>(connectionId),
});
const QUIET = { tenantId: idOf<TenantId>("quiet"), connectionId: idOf<ConnectionId>("quiet 1") };
const everybody = () => true;

describe("schedule", () => {
  test("alternate between tenants, however many queues one has that claim nothing", () => {
    const schedule = createSchedule(() => {});
    for (let index = 0; index < 100; index++) schedule.add(loud(`loud ${index}`));
    schedule.add(QUIET);
    const taken: string[] = [];
    for (let look = 0; look < 200; look++) {
      const queueId = schedule.next(everybody);
      if (!queueId || queueId === "full") break;
      taken.push(queueId.connectionId);
      schedule.end(queueId);
      // The queue had no due delivery.
      schedule.add(queueId);
    }
    expect(taken.filter((each) => each === QUIET.connectionId)).toHaveLength(100);
    expect(new Set(taken).size).toBe(101);
  });

  test("ask each tenant once whether it is free, and skip the others", () => {
    const schedule = createSchedule(() => {});
    for (let index = 0; index < 5_000; index++) schedule.add(loud(`loud ${index}`));
    schedule.add(QUIET);
    const asked: string[] = [];
    const isFree = (tenantId: string) => asked.push(tenantId) > 0 && tenantId === QUIET.tenantId;
    expect([schedule.next(isFree), schedule.next(isFree)]).toEqual([QUIET, "full"]);
    expect(asked).toEqual(["loud", "quiet", "loud"]);
  });

  test("give a queue to one at a time", () => {
    const schedule = createSchedule(() => {});
    schedule.add(QUIET);
    expect(schedule.next(everybody)).toEqual(QUIET);
    schedule.add(QUIET);
    expect(schedule.next(everybody)).toBeUndefined();
    schedule.end(QUIET);
    expect(schedule.next(everybody)).toEqual(QUIET);
    expect(schedule.isEmpty()).toBe(true);
  });

  test("come at the earliest requested time", async () => {
    let wakes = 0;
    const schedule = createSchedule(() => wakes++);
    schedule.addIn(QUIET, LONG_MS);
    schedule.addIn(QUIET, 1);
    schedule.addIn(QUIET, LONG_MS);
    await until("it to be scheduled", () => wakes === 1, 60_000);
    expect(schedule.next(everybody)).toEqual(QUIET);
    schedule.stop();
  }, 300_000);
});
