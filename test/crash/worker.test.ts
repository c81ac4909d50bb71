import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "./ledger.ts";

const CHANGES = 20;

let stack: Stack;
const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

beforeAll(async () => {
  // Longer than the worker takes to stop, so that a post is always in its midst.
  stack = await startStack({ env: { WEBHOOK_TIMEOUT: "30s" } });
}, 60_000);
afterAll(() => stack?.stop(), 30_000);

test("a worker killed in the middle of its posts loses nothing, and the log says which attempts were lost", async () => {
  const api = await newTenant(stack);
  await using receiver = startReceiver(["hang", 200], { dataDir: dataDir() });
  await api.connect(receiver.url);
  const committed = await makeChanges(api, (made) => made >= CHANGES);
  await until("every post to be under way", () => receiver.calls.length === CHANGES);
  process.kill(stack.parts.worker.pid!, "SIGKILL");

  const ledger = await settleLedger("worker killed in mid-post", committed, receiver);
  expect(ledger).toEqual({ committed: CHANGES, delivered: CHANGES, duplicated: 0, lost: 0 });
  await untilLogSaysDelivered(api);
  const { Deliveries } = await api.newestEvent();
  expect(Deliveries[0]!.Attempts.map(({ Failure, StatusCode }) => Failure ?? StatusCode)).toEqual(["lost", 200]);
}, 60_000);

test("a worker stopped in the middle of a last attempt does not give the delivery up", async () => {
  const api = await newTenant(stack);
  await using receiver = startReceiver([500, 500, "hang", 200], { dataDir: dataDir() });
  await api.connect(receiver.url);
  const committed = await makeChanges(api, (made) => made >= 1);
  await until("the third post", () => receiver.calls.length === 3);
  // `start` gives it some seconds to finish its posts, fewer than this one would take.
  await stack.parts.worker.stop();
  await stack.parts.worker.start();

  const ledger = await settleLedger("worker stopped in a last attempt", committed, receiver);
  expect(ledger).toEqual({ committed: 1, delivered: 1, duplicated: 0, lost: 0 });
  await untilLogSaysDelivered(api);
}, 60_000);
