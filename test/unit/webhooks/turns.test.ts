// Selection of the next queue.

import { describe, expect, test } from "bun:test";
import type { ConnectionId, TenantId } from "../../../server/ids.ts";
import { createTurns } from "../../../server/webhooks/deliveries/turns.ts";
import { until } from "../../support/api.ts";
import { idOf } from "../../support/ids.ts";

const LONG_MS = 3_600_000;
const loud = (connectionId: string) => ({
  tenantId: idOf<TenantId>("loud"),
  connectionId: idOf<ConnectionId>(connectionId),
});
const QUIET = { tenantId: idOf<TenantId>("quiet"), connectionId: idOf<ConnectionId>("quiet 1") };
const everybody = () => true;

describe("turns", () => {
  test("alternate between tenants, however many queues one has that begin nothing", () => {
    const turns = createTurns(() => {});
    for (let index = 0; index < 100; index++) turns.add(loud(`loud ${index}`));
    turns.add(QUIET);
    const taken: string[] = [];
    for (let look = 0; look < 200; look++) {
      const turn = turns.next(everybody);
      if (!turn || turn === "full") break;
      taken.push(turn.connectionId);
      turns.end(turn);
      // The queue had no due delivery.
      turns.add(turn);
    }
    expect(taken.filter((each) => each === QUIET.connectionId)).toHaveLength(100);
    expect(new Set(taken).size).toBe(101);
  });

  test("ask each tenant once whether it has room, and skip those without", () => {
    const turns = createTurns(() => {});
    for (let index = 0; index < 5_000; index++) turns.add(loud(`loud ${index}`));
    turns.add(QUIET);
    const asked: string[] = [];
    const hasRoom = (tenantId: string) => asked.push(tenantId) > 0 && tenantId === QUIET.tenantId;
    expect([turns.next(hasRoom), turns.next(hasRoom)]).toEqual([QUIET, "full"]);
    expect(asked).toEqual(["loud", "quiet", "loud"]);
  });

  test("give a queue to one at a time", () => {
    const turns = createTurns(() => {});
    turns.add(QUIET);
    expect(turns.next(everybody)).toEqual(QUIET);
    turns.add(QUIET);
    expect(turns.next(everybody)).toBeUndefined();
    turns.end(QUIET);
    expect(turns.next(everybody)).toEqual(QUIET);
    expect(turns.isEmpty()).toBe(true);
  });

  test("come at the earliest requested time", async () => {
    let wakes = 0;
    const turns = createTurns(() => wakes++);
    turns.addIn(QUIET, LONG_MS);
    turns.addIn(QUIET, 1);
    turns.addIn(QUIET, LONG_MS);
    await until("its turn", () => wakes === 1, 60_000);
    expect(turns.next(everybody)).toEqual(QUIET);
    turns.stop();
  }, 120_000);
});
