import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { temporalFiles } from "../../server/appliance/embedded/processes.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { startVictim } from "../support/victim.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { makeDue } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 30;

test("deliveries waiting for a retry survive the loss of Temporal's store", async () => {
  const stack = await startVictim();
  const logged = readFileSync(stack.logFile, "utf8").length;
  const api = await newTenant(stack);
  let busy = true;
  const later = new Response(null, { status: 503, headers: { "retry-after": "3600" } });
  await using receiver = startReceiver(() => (busy ? later.clone() : 200), {
    dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir,
  });
  await api.connect(receiver.url);
  const committed = await makeChanges(api, (made) => made >= CHANGES);
  await until("all to wait", async () => (await api.events("Limit=200&State=Retrying")).Items.length === CHANGES);
  expect(receiver.calls).toHaveLength(CHANGES);
  await makeDue(api, stack);

  process.kill(stack.parts.temporal.pid!, "SIGKILL");
  await stack.parts.temporal.stop();
  rmSync(temporalFiles(stack.dataDir).folder, { recursive: true });
  busy = false;
  await stack.parts.temporal.start();

  const ledger = await settleLedger("Temporal killed and its store deleted", committed, receiver);
  expect(ledger).toMatchObject({ committed: CHANGES, delivered: CHANGES, lost: 0 });
  await untilLogSaysDelivered(api);

  // If the SDK complains about the loss, the complaint is also a log line.
  const lines = readFileSync(stack.logFile, "utf8").slice(logged).trimEnd().split("\n");
  expect(lines.filter((line) => !isLogLine(line))).toEqual([]);
});

/** The SDK's own message on standard error at each start of a worker. */
const NOTE = "v8.promiseHooks.createHook is not available; stack trace collection will be disabled.";

function isLogLine(line: string): boolean {
  if (line === NOTE) return true;
  try {
    const { level, time, part, msg } = JSON.parse(line);
    return typeof level === "number" && typeof time === "number" && typeof part === "string" && typeof msg === "string";
  } catch {
    return false;
  }
}
