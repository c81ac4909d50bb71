// A delivery's new run needs the id of an earlier one that stays open, as a stuck workflow does.

import { expect, test } from "bun:test";
import { temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

/** The longest wait between two tries to start a run. */
const MAX_WAIT_MS = 2_000;

interface Queued {
  due_on: Date | null;
  begun_on: Date | null;
  changed_on: Date;
}

test("a delivery whose earlier run stays open is tried at growing intervals, and sent once that run has ended", async () => {
  const [api, client] = await Promise.all([newTenant(), temporal()]);
  await using receiver = startReceiver(200);
  const { Id } = await api.connect(receiver.url, { State: "Paused" });
  await api.change({ Name: "Gate" });
  await until("the event to be held", async () => (await api.events("State=Held")).Items.length === 1);
  const { EventId, WorkflowId } = await api.newestEvent();
  // No worker polls its task queue.
  const handle = await client.workflow.start("deliverWebhook", {
    ...{ workflowId: `${WorkflowId}/2`, taskQueue: "unpolled" },
  });
  await api.setState(Id, "Active");

  const waits = new Set<number>();
  await until("the longest wait", async () => {
    const [row] = await rowsOf<Queued>("deliveries", { event_id: EventId });
    if (row?.due_on && !row.begun_on) waits.add(+row.due_on - +row.changed_on);
    return waits.has(MAX_WAIT_MS);
  });
  expect(Math.max(...waits)).toBe(MAX_WAIT_MS);
  expect(receiver.calls).toHaveLength(0);
  await handle.terminate("the test's operator ends it");
  await until("the delivery", () => receiver.calls.length === 1);
  await client.connection.close();
});
