import { expect, test } from "bun:test";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "./ledger.ts";

const CHANGES = 100;

test("what was answered 200 before, while and after PostgreSQL was killed is delivered", async () => {
  await using stack = await startStack();
  const api = await newTenant(stack);
  await using receiver = startReceiver(200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
  await api.connect(receiver.url);

  let back = false;
  const changing = makeChanges(api, (made) => back && made >= CHANGES, 2);
  await until("the load to be under way", () => receiver.calls.length >= CHANGES / 5);
  process.kill(stack.parts.postgresql.pid!, "SIGKILL");
  await until("PostgreSQL to go", async () => !(await isUp(stack)));
  await until("PostgreSQL to come back", () => isUp(stack));
  back = true;
  const committed = await changing;

  const ledger = await settleLedger("PostgreSQL killed in mid-load", committed, receiver);
  expect(ledger).toMatchObject({ committed: committed.length, lost: 0 });
  expect(committed.length).toBeGreaterThanOrEqual(CHANGES / 5);
  await untilLogSaysDelivered(api);
}, 120_000);

async function isUp(stack: Stack): Promise<boolean> {
  const answer = await stack.readiness().catch(() => undefined);
  return answer?.postgresql === "up";
}
