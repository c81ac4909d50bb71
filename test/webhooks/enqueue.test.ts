// A start that is considered lost but was not.

import { expect, test } from "bun:test";
import { enqueue } from "../../server/webhooks/deliveries/queue.store.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { db, newTenant } from "../world/tenant.ts";

test("a delivery in flight does not return to the queue, where another workflow would post it again", async () => {
  const api = await newTenant();
  const answer = Promise.withResolvers<number>();
  await using receiver = startReceiver(() => answer.promise);
  await api.connect(receiver.url, { TimeoutMs: 30_000 });
  await api.change({ Name: "Gate" });
  await until("it to be out", () => receiver.calls.length === 1);
  const { EventId } = await api.newestEvent();
  const [delivery] = (await api.event(EventId)).Deliveries;
  expect(await enqueue(db(), [delivery!.Id])).toEqual([]);
  answer.resolve(200);
  expect((await api.settledEvent()).State).toBe("Delivered");
  expect(receiver.calls).toHaveLength(1);
});
