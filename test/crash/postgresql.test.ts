import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "./ledger.ts";

const CHANGES = 100;
/** Times the worker asks in vain: together longer than WEBHOOK_TIMEOUT and than a workflow task's ten seconds. */
const ASKED_IN_VAIN = 20;

let stack: Stack;
const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

beforeAll(async () => {
  stack = await startStack();
}, 60_000);
afterAll(() => stack?.stop(), 30_000);

test("what was answered 200 before, while and after PostgreSQL was killed is delivered", async () => {
  const api = await newTenant(stack);
  await using receiver = startReceiver(200, { dataDir: dataDir() });
  await api.connect(receiver.url);

  let back = false;
  const changing = makeChanges(api, (made) => back && made >= CHANGES, 2);
  await until("the load to be under way", () => receiver.calls.length >= CHANGES / 5);
  process.kill(stack.parts.postgresql.pid!, "SIGKILL");
  await until("PostgreSQL to go", async () => !(await isUp()));
  await until("PostgreSQL to come back", () => isUp());
  back = true;
  const committed = await changing;

  const ledger = await settleLedger("PostgreSQL killed in mid-load", committed, receiver);
  expect(ledger).toMatchObject({ committed: committed.length, lost: 0 });
  expect(committed.length).toBeGreaterThanOrEqual(CHANGES / 5);
  await untilLogSaysDelivered(api);
}, 120_000);

test("a PostgreSQL that is away while a receiver answers uses up no attempt and causes no second post", async () => {
  const api = await newTenant(stack);
  await using receiver = startReceiver(
    async () => {
      await stack.parts.postgresql.stop();
      return 200;
    },
    { dataDir: dataDir() },
  );
  await api.connect(receiver.url);
  const before = timesAskedInVain();
  await api.change({ Name: "Gate" });
  await until("the answer to wait for PostgreSQL", () => timesAskedInVain() - before >= ASKED_IN_VAIN, 60_000);
  await stack.parts.postgresql.start();
  await until("PostgreSQL to come back", isUp);

  const event = await until("the log to say Delivered", async () => {
    const found = await api.newestEvent().catch(() => undefined);
    return found?.State === "Delivered" && found;
  });
  expect(event.Deliveries[0]).toMatchObject({ AttemptCount: 1, Attempts: [{ Number: 1, StatusCode: 200 }] });
  expect(receiver.calls).toHaveLength(1);
}, 120_000);

function timesAskedInVain(): number {
  return readFileSync(stack.logFile, "utf8").split("PostgreSQL did not take part in an attempt").length - 1;
}

async function isUp(): Promise<boolean> {
  const answer = await stack.readiness().catch(() => undefined);
  return answer?.postgresql === "up";
}
