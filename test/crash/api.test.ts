import { expect, test } from "bun:test";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { startVictim } from "../support/victim.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "./ledger.ts";

const CHANGES = 100;

test("changes committed by the API are delivered after it was killed before dispatching", async () => {
  const stack = await startVictim();
  const api = await newTenant(stack);
  await using receiver = startReceiver(200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
  await api.connect(receiver.url);
  await stack.parts.worker.stop();

  const changing = makeChanges(api, (made) => made >= CHANGES);
  await until("half of the changes", async () => (await api.events("Limit=200")).Items.length >= CHANGES / 2);
  process.kill(stack.parts.api.pid!, "SIGKILL");
  const committed = await changing;
  expect(receiver.calls).toHaveLength(0);
  await until("the API to come back", () => stack.readiness().catch(() => undefined));
  await stack.parts.worker.start();

  const ledger = await settleLedger("API killed between commit and dispatch", committed, receiver);
  expect(ledger).toMatchObject({ committed: committed.length, lost: 0 });
  expect(committed.length).toBeGreaterThanOrEqual(CHANGES / 2 - 4);
  await untilLogSaysDelivered(api);
}, 180_000);
