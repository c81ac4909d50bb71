// `bun run test/replay/record.ts`: records one history of each kind that is not here, from a Gatehouse of its own. A
// history that is here may still be running somewhere, so it is kept when workflows/ changes.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import { until } from "../support/api.ts";
import { type Reply, startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";

const LATER = new Response(null, { status: 503, headers: { "retry-after": "3600" } });
const KINDS: Record<string, { replies: Reply[]; cancel?: true }> = {
  delivered: { replies: [200] },
  retried: { replies: [503, 200] },
  exhausted: { replies: [500] },
  cancelled: { replies: [LATER], cancel: true },
  "handed-over": { replies: ["hang", 200] },
};
const NOBODY = "worker@localhost";

await using stack = await startStack({ say: console.log });
const client = new Client({ connection: await Connection.connect({ address: stack.temporalAddress }) });
for (const [kind, { replies, cancel }] of Object.entries(KINDS)) {
  const file = join(import.meta.dir, "histories", `${kind}.json`);
  if (existsSync(file)) continue;
  await Bun.write(file, `${await record(stack, replies, cancel)}\n`);
  console.log(`wrote ${file}`);
}
await client.connection.close();

async function record(stack: Stack, replies: Reply[], cancel = false): Promise<string> {
  const api = await newTenant(stack);
  await using receiver = startReceiver(replies, { dataDir: stack.dataDir });
  await Promise.all([1, 2].map(() => api.connect(receiver.url)));
  await api.change({ Name: "Gate" });
  if (cancel) {
    await until("both to wait", () => receiver.calls.length === 2);
    await client.workflow.getHandle((await api.newestEvent()).EventId).cancel();
  }
  const { EventId } = await api.settledEvent();
  const handle = client.workflow.getHandle(EventId);
  await handle.result().catch(() => {});
  const history = historyToJSON(await handle.fetchHistory());
  // The name of the machine that recorded is nobody's business.
  return history.replaceAll(/\b\d+@[\w.-]+?(?=["-])/g, NOBODY);
}
