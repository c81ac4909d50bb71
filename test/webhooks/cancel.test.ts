// Actions of an operator on a delivery's workflow in the Temporal UI.

import { afterAll, describe, expect, test } from "bun:test";
import { temporal } from "../support/temporal.ts";
import { startVictim } from "../support/victim.ts";
import { until } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { makeDue } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
const later = new Response(null, { status: 503, headers: { "retry-after": "3600" } });
const deliveryState = async (workflowId: string) =>
  (await client.workflow.getHandle(workflowId).describe()).searchAttributes.DeliveryState;

const stack = await startVictim();
const client = await temporal(stack.temporalAddress);
afterAll(() => client?.connection.close());

describe.concurrent("a delivery workflow", () => {
  test("that is reset posts nothing again, and its log explains the alternative", async () => {
    const api = await newTenant(stack);
    await using receiver = await connected(api, 410, { dataDir: dataDir() });
    const { WorkflowId } = await api.settledChange({ Name: "Gate" });
    await client.workflow
      .getHandle(WorkflowId)
      .result()
      .catch(() => {});
    const { events } = await client.workflow.getHandle(WorkflowId).fetchHistory();
    const completed = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace: "default",
      workflowExecution: { workflowId: WorkflowId },
      workflowTaskFinishEventId: completed.eventId,
      requestId: Bun.randomUUIDv7(),
    });
    const failure = await client.workflow
      .getHandle(WorkflowId, runId)
      .result()
      .catch((error) => error);
    expect(failure.cause.message).toBe(
      "1 of 1 deliveries exhausted: its earlier run failed; to send it again, use Redeliver in Settings or POST …/Redeliver",
    );
    expect(receiver.calls).toHaveLength(1);
  });

  test("that is cancelled during a retry's wait leaves its open deliveries Cancelled, and the others unchanged", async () => {
    const api = await newTenant(stack);
    await using busy = startReceiver(later, { dataDir: dataDir() });
    await using sound = startReceiver(200, { dataDir: dataDir() });
    const waiting = await api.connect(busy.url);
    await api.connect(sound.url);
    await api.change({ Name: "Gate" });
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    const { EventId, WorkflowId } = await api.newestEvent();
    await client.workflow.getHandle(WorkflowId).cancel();

    const event = await api.settledEvent();
    const states = event.Deliveries.map(({ ConnectionId, State }) => [ConnectionId === waiting.Id, State]);
    expect(states.toSorted()).toEqual([
      [false, "Delivered"],
      [true, "Cancelled"],
    ]);
    await untilStatus(WorkflowId, "CANCELLED");
    expect(await deliveryState(WorkflowId)).toEqual(["Cancelled"]);
    await reconciled();
    expect(await api.event(EventId)).toEqual(event);
    expect(busy.calls).toHaveLength(1);
    await untilStatus(WorkflowId, "CANCELLED");
  });

  // Before and after one second, when its receiver stops being quick.
  test.each([0, 200, 400, 600, 800, 1_000, 1_200])(
    "that is cancelled %i ms into its post aborts the post, logs it and leaves the delivery Cancelled",
    async (moment) => {
      const api = await newTenant(stack);
      await using receiver = await connected(api, "hang", { dataDir: dataDir() });
      await api.change({ Name: "Gate" });
      await until("the post", () => receiver.calls.length === 1);
      const { EventId, WorkflowId } = await api.newestEvent();
      await Bun.sleep(moment);
      await client.workflow.getHandle(WorkflowId).cancel();

      await untilStatus(WorkflowId, "CANCELLED");
      const event = await api.event(EventId);
      expect(event).toMatchObject({ State: "Cancelled", Deliveries: [{ AttemptCount: 1 }] });
      expect(event.Deliveries[0]!.Attempts.map((attempt) => attempt.Failure)).toEqual(["cancelled"]);
      expect(receiver.calls).toHaveLength(1);
    },
  );

  test.each([0, 1_200])(
    "that is cancelled %i ms into its last post does not count against the receiver",
    async (moment) => {
      const api = await newTenant(stack);
      await using receiver = await connected(api, [503, 503, "hang"], { dataDir: dataDir() });
      await api.change({ Name: "Gate" });
      await until("the last post", () => receiver.calls.length === 3);
      const { EventId, WorkflowId } = await api.newestEvent();
      await Bun.sleep(moment);
      await client.workflow.getHandle(WorkflowId).cancel();

      await untilStatus(WorkflowId, "CANCELLED");
      const event = await api.event(EventId);
      expect(event).toMatchObject({ State: "Cancelled", Deliveries: [{ AttemptCount: 3 }] });
      expect(event.Deliveries[0]!.Attempts.map((attempt) => attempt.Failure)).toEqual([null, null, "cancelled"]);
    },
  );

  test("that is terminated during a retry's wait is followed by one that waits as long", async () => {
    const api = await newTenant(stack);
    await using receiver = await connected(api, later, { dataDir: dataDir() });
    await api.change({ Name: "Gate" });
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    const { EventId, WorkflowId } = await api.newestEvent();
    const { runId } = await client.workflow.getHandle(WorkflowId).describe();
    await client.workflow.getHandle(WorkflowId).terminate();
    await until("a run that waits", async () => {
      const run = client.workflow.getHandle(WorkflowId);
      if ((await run.describe()).runId === runId) return false;
      return (await run.fetchHistory()).events?.some((event) => event.timerStartedEventAttributes);
    });
    expect(await api.event(EventId)).toMatchObject({ State: "Retrying", Deliveries: [{ AttemptCount: 1 }] });
    expect(receiver.calls).toHaveLength(1);
  });

  test("that is terminated leaves its deliveries open: they get a new run", async () => {
    const api = await newTenant(stack);
    await using _ = await connected(api, [later, 200], { dataDir: dataDir() });
    await api.change({ Name: "Gate" });
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    const { WorkflowId } = await api.newestEvent();
    await makeDue(api, stack);
    await client.workflow.getHandle(WorkflowId).terminate();
    const event = await api.settledEvent();
    expect(event).toMatchObject({ State: "Delivered", Deliveries: [{ AttemptCount: 2 }] });
  });
});

async function untilStatus(workflowId: string, name: string): Promise<void> {
  await until(`${workflowId} to be ${name}`, async () => {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === name;
  });
}

/** Waits until the reconciler has found a delivery without its workflow, and so all earlier ones. */
async function reconciled(): Promise<void> {
  const api = await newTenant(stack);
  await using _ = await connected(api, [later, 200], { dataDir: dataDir() });
  await api.change({ Name: "Gate" });
  await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
  await makeDue(api, stack);
  await client.workflow.getHandle((await api.newestEvent()).WorkflowId).terminate();
  await api.settledEvent();
}
