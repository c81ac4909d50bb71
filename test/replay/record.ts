// `bun run test/replay/record.ts`: records one history of each kind from a Gatehouse of its own. A history that is
// here may still be running somewhere, so it is kept when workflows/ changes, and new ones are added beside it.

import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import { type Reply, startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";

const KINDS: Record<string, Reply[]> = {
  delivered: [200],
  retried: [503, 200],
  exhausted: [500],
};
const NOBODY = "worker@localhost";

await using stack = await startStack({ say: console.log });
const client = new Client({ connection: await Connection.connect({ address: stack.temporalAddress }) });
for (const [kind, replies] of Object.entries(KINDS)) {
  const file = join(import.meta.dir, "histories", `${kind}.json`);
  await Bun.write(file, `${await record(stack, replies)}\n`);
  console.log(`wrote ${file}`);
}
await client.connection.close();

async function record(stack: Stack, replies: Reply[]): Promise<string> {
  const api = await newTenant(stack);
  await using receiver = startReceiver(replies, { dataDir: stack.dataDir });
  await Promise.all([1, 2].map(() => api.connect(receiver.url)));
  await api.change({ Name: "Gate" });
  const { EventId } = await api.settledEvent();
  const handle = client.workflow.getHandle(EventId);
  await handle.result().catch(() => {});
  const history = historyToJSON(await handle.fetchHistory());
  // The name of the machine that recorded is nobody's business.
  return history.replaceAll(/\b\d+@[\w.-]+?(?=["-])/g, NOBODY);
}
