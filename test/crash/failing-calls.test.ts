// Deliveries while calls to PostgreSQL fail.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { TROUBLES } from "../support/failing-database.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { ANSWERS, expectNoLongWait, type Failing, startFailing, walk } from "./failing-calls.ts";

let failing: Failing;
beforeAll(async () => {
  failing = await startFailing();
});
afterAll(() => failing?.stop());

test.each(TROUBLES)("a delivery gets its three attempts when a call to PostgreSQL fails: %s", async (trouble) => {
  const { database, stack } = failing;
  const dataDir = process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
  const receiverOfThree = () => startReceiver(({ count }) => ANSWERS[count - 1]!, { dataDir });
  const api = await newTenant(stack);
  await using own = receiverOfThree();
  await using queued = receiverOfThree();
  await api.connect(own.url);
  // From the queue, where each retry also takes a turn.
  await api.connect(queued.url, { RatePerSecond: 50 });
  await walk(database, trouble, async () => {
    await api.change({ Name: "Gate", Description: Bun.randomUUIDv7() });
    const { EventId } = await api.newestEvent();
    const event = await api.settled(EventId);
    const seen = database.seen();
    expect({ seen, state: event.State }).toEqual({ seen, state: "Delivered" });
    for (const { Attempts } of event.Deliveries) {
      const attempts = Attempts.map((attempt) => [attempt.Number, attempt.StatusCode]);
      expect({ seen, attempts }).toEqual({ seen, attempts: ANSWERS.map((status, index) => [index + 1, status]) });
    }
    for (const receiver of [own, queued]) {
      const posts = receiver.callsFor(EventId);
      expect(posts).toHaveLength(ANSWERS.length);
      expectNoLongWait(posts);
    }
  });
});
