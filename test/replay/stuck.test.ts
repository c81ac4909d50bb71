import { expect, test } from "bun:test";
import { join } from "node:path";
import { NativeConnection, Worker } from "@temporalio/worker";
import { type DeliverWebhookInput, TASK_QUEUE } from "../../workflows/contract.ts";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { temporal } from "../webhooks/temporal.ts";
import "./runtime.ts";

const PATIENCE_MS = 180_000;

test("a workflow whose history cannot be replayed is terminated, and its deliveries get a new run", async () => {
  await using stack = await startStack({ env: { WEBHOOK_RECONCILE_INTERVAL: "1s" } });
  const api = await newTenant(stack);
  await using receiver = startReceiver(200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
  await api.connect(receiver.url);
  await stack.parts.worker.stop();
  await api.change({ Name: "Gate" });
  const { EventId, Deliveries } = await api.newestEvent();
  const deliveries = Deliveries.map(({ Id, ConnectionId }) => ({
    deliveryId: Id,
    connectionId: ConnectionId,
    to: "gate",
  }));
  const handle = await beginByAnotherVersion(stack, {
    tenantId: api.tenant.tenantId,
    eventId: EventId,
    deliveries,
    held: 0,
    retry: { initialInterval: 1, backoffCoefficient: 1 },
    timeout: 1_000,
  });
  await stack.parts.worker.start();
  // Gives the workflow something to do, so that its history is replayed.
  await handle.signal("wake");

  await until("the delivery", () => receiver.calls.length === 1, PATIENCE_MS);
  expect((await api.settledEvent()).State).toBe("Delivered");
  expect((await handle.describe()).status.name).toBe("TERMINATED");
}, 300_000);

async function beginByAnotherVersion({ temporalAddress }: Stack, input: DeliverWebhookInput) {
  const client = await temporal(temporalAddress);
  const connection = await NativeConnection.connect({ address: temporalAddress });
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: join(import.meta.dir, "stuck", "index.ts"),
    // Else Temporal waits for it to come back.
    maxCachedWorkflows: 0,
  });
  const started = await worker.runUntil(async () => {
    const handle = await client.workflow.start("deliverWebhook", {
      taskQueue: TASK_QUEUE,
      workflowId: input.eventId,
      args: [input],
    });
    await until("its timer", async () =>
      (await handle.fetchHistory()).events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes),
    );
    return handle;
  });
  await connection.close();
  return client.workflow.getHandle(input.eventId, started.firstExecutionRunId);
}
