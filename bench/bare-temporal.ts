// The baseline of bench/webhooks.ts: an API that starts a workflow for each request, and its worker. The workflow runs
// one regular activity for each receiver, which posts the same bytes.

import { join } from "node:path";
import { Client } from "@temporalio/client";
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import type { BareInput } from "./bare-workflow.ts";

const TASK_QUEUE = "bare";
const { TEMPORAL_ADDRESS, EGRESS_CA_FILE, RECEIVERS, SAMPLE } = process.env as Record<string, string>;

const logger = new DefaultLogger("ERROR");
Runtime.install({ logger, telemetryOptions: { logging: { filter: "ERROR", forward: {} } } });
const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS, grpcCompression: { codec: "none" } });
const ca = await Bun.file(EGRESS_CA_FILE!).text();
const worker = await Worker.create({
  connection,
  taskQueue: TASK_QUEUE,
  workflowBundle: await bundleWorkflowCode({ workflowsPath: join(import.meta.dir, "bare-workflow.ts"), logger }),
  activities: {
    async post(url: string, body: string) {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body, tls: { ca } });
      await answer.text();
      if (!answer.ok) throw new Error(`${answer.status}`);
    },
  },
  // The same options as the product's worker.
  maxCachedWorkflows: 500,
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentActivityTaskExecutions: 200,
  reuseV8Context: true,
  workflowThreadPoolSize: 1,
});
const running = worker.run();
const client = new Client({ connection });
const sampleId = /"ExternalId":"([^"]+)"/.exec(SAMPLE!)![1]!;
const receivers = JSON.parse(RECEIVERS!) as string[];

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { id, receivers: count } = (await request.json()) as { id: string; receivers: number };
    const input: BareInput = { urls: receivers.slice(0, count), body: SAMPLE!.replaceAll(sampleId, id) };
    await client.workflow.start("bare", { taskQueue: TASK_QUEUE, workflowId: id, args: [input] });
    return new Response("ok");
  },
});
console.log(JSON.stringify({ url: server.url.href }));
process.once("SIGTERM", () => {
  worker.shutdown();
  void running.finally(() => process.exit(0));
});
