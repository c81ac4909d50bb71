import { expect, test } from "bun:test";
import { join } from "node:path";
import { NativeConnection, Worker } from "@temporalio/worker";
import { type DeliverWebhookInput, TASK_QUEUE } from "../../workflows/contract.ts";
import type { Stack } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { startVictim } from "../support/victim.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { makeDue } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import "./runtime.ts";

const PATIENCE_MS = 180_000;

const LATER = new Response(null, { status: 503, headers: { "retry-after": "3600" } });

test.each([
  ["before its first attempt", 0],
  ["while a retry waits", 1],
])(
  "a workflow of another version, %s, is terminated, and its deliveries get a new run with their remaining attempts",
  async (_, made) => {
    const stack = await startVictim();
    const api = await newTenant(stack);
    await using receiver = startReceiver(({ count }) => (count <= made ? LATER : 200), {
      dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir,
    });
    await api.connect(receiver.url);
    if (made === 0) await stack.parts.worker.stop();
    await api.change({ Name: "Gate" });
    if (made > 0) {
      await until("the retry to wait", async () => (await api.newestEvent()).State === "Retrying");
      await stack.parts.worker.stop();
    }
    const { EventId, WorkflowId, Deliveries } = await api.newestEvent();
    const deliveries = Deliveries.map(({ Id, ConnectionId }) => ({
      deliveryId: Id,
      connectionId: ConnectionId,
      to: "gate",
    }));
    const handle = await beginByAnotherVersion(stack, WorkflowId, {
      tenantId: api.tenant.tenantId,
      eventId: EventId,
      deliveries,
      held: 0,
      retry: { initialInterval: 1, backoffCoefficient: 1, maximumInterval: 1, maximumAttempts: 3 },
      timeout: 1_000,
    });
    await makeDue(api, stack);
    await stack.parts.worker.start();
    // Signals the workflow, so its history is replayed.
    await handle.signal("wake");

    await until("the delivery", () => receiver.calls.length === made + 1, PATIENCE_MS);
    const event = await api.settledEvent();
    expect(event.State).toBe("Delivered");
    expect(event.Deliveries[0]!.Attempts.map(({ StatusCode }) => StatusCode)).toEqual(made ? [503, 200] : [200]);
    expect((await handle.describe()).status.name).toBe("TERMINATED");
  },
);

async function beginByAnotherVersion({ temporalAddress }: Stack, workflowId: string, input: DeliverWebhookInput) {
  const client = await temporal(temporalAddress);
  const connection = await NativeConnection.connect({ address: temporalAddress });
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: join(import.meta.dir, "stuck", "index.ts"),
    // Otherwise Temporal waits for the cached worker.
    maxCachedWorkflows: 0,
  });
  const started = await worker.runUntil(async () => {
    const handle = await client.workflow.start("deliverWebhook", {
      taskQueue: TASK_QUEUE,
      workflowId,
      workflowIdConflictPolicy: "TERMINATE_EXISTING",
      args: [input],
    });
    await until("its timer", async () =>
      (await handle.fetchHistory()).events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes),
    );
    return handle;
  });
  await connection.close();
  return client.workflow.getHandle(workflowId, started.firstExecutionRunId);
}
