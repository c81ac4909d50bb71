import { expect, test } from "bun:test";
import { FIRST_SIZE } from "../../server/webhooks/deliveries/windows.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { startVictim } from "../support/victim.ts";
import { type LoggedEvent, until } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 20;

const stack = await startVictim();
const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

test("a worker killed with full windows loses nothing, and the log names the lost attempts", async () => {
  const api = await newTenant(stack);
  let isKilled = false;
  const never = new Promise<number>(() => {});
  await using receiver = await connected(api, () => (isKilled ? 200 : never), { dataDir: dataDir() });
  const committed = await makeChanges(api, (made) => made >= CHANGES);
  await until("its window to be full", () => receiver.calls.length === FIRST_SIZE);
  isKilled = true;
  process.kill(stack.parts.worker.pid!, "SIGKILL");

  const ledger = await settleLedger("worker killed in mid-post", committed, receiver);
  expect(ledger).toEqual({ committed: CHANGES, delivered: CHANGES, duplicated: 0, lost: 0 });
  await untilLogSaysDelivered(api);
  const { Items } = await api.events(`Limit=${CHANGES}`);
  const logged = await Promise.all(Items.map(({ EventId }) => api.event(EventId).then(outcomes)));
  expect(logged.filter((attempts) => attempts.includes("lost"))).toHaveLength(FIRST_SIZE);
});

test("a worker stopped during an attempt logs its result, and the next worker continues", async () => {
  const api = await newTenant(stack);
  await using receiver = await connected(api, [500, "hang", 200], { dataDir: dataDir() });
  const committed = await makeChanges(api, (made) => made >= 1);
  await until("the second post", () => receiver.calls.length === 2);
  // `start` allows some seconds to finish its posts, fewer than this one takes.
  await stack.parts.worker.stop();
  await stack.parts.worker.start();

  const ledger = await settleLedger("worker stopped in an attempt", committed, receiver);
  expect(ledger).toEqual({ committed: 1, delivered: 1, duplicated: 0, lost: 0 });
  await untilLogSaysDelivered(api);
  expect(outcomes(await api.newestEvent())).toEqual([500, expect.stringMatching(/^(cancelled|lost)$/), 200]);
});

test("a worker killed during a first, second and last attempt does not restart the count", async () => {
  await using first = startReceiver(["hang", 500], { dataDir: dataDir() });
  await using second = startReceiver([500, "hang", 500], { dataDir: dataDir() });
  await using last = startReceiver([500, 500, "hang", 200], { dataDir: dataDir() });
  const receivers = [first, second, last];
  const apis = await Promise.all(receivers.map(() => newTenant(stack)));
  await Promise.all(apis.map((api, index) => api.connect(receivers[index]!.url)));
  await Promise.all(apis.map((api) => makeChanges(api, (made) => made >= 1, 1)));
  await until("each to hang", () => receivers.every(({ calls }, index) => calls.length === index + 1));
  process.kill(stack.parts.worker.pid!, "SIGKILL");

  const events = await Promise.all(apis.map((api) => api.settledEvent()));
  expect(events.map(outcomes)).toEqual([
    ["lost", 500, 500],
    [500, "lost", 500],
    [500, 500, "lost"],
  ]);
  expect(events.map(({ State }) => State)).toEqual(["Exhausted", "Exhausted", "Exhausted"]);
  expect(receivers.map(({ calls }) => calls.length)).toEqual([3, 3, 3]);
});

const outcomes = (event: LoggedEvent) =>
  event.Deliveries[0]!.Attempts.map(({ Failure, StatusCode }) => Failure ?? StatusCode);
