// Two APIs and three workers with one PostgreSQL and one Temporal: each can finish work that a different one began.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "@temporalio/client";
import { POLL_MS } from "../../server/platform/db/watch.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { besides, type StartedProcess, startProcess } from "../support/process.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, signIn, until } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 24;
/** Longer than a post may hold its workflow's task, shorter than WEBHOOK_TIMEOUT. */
const LATE_MS = 1_500;
const SETTINGS = {
  WEBHOOK_TIMEOUT: "3s",
  WEBHOOK_RETRY_INITIAL_INTERVAL: "200ms",
  WEBHOOK_RETRY_BACKOFF: "2",
  WEBHOOK_RECONCILE_INTERVAL: "1s",
};

let stack: Stack;
let client: Client;
let workers: StartedProcess[];
let secondApi: StartedProcess;

beforeAll(async () => {
  stack = await startStack({ env: SETTINGS });
  client = await temporal(stack.temporalAddress);
  const env = { ...besides(stack), ...SETTINGS };
  secondApi = startProcess("server/serve.ts", { ...env, PORT: "0", PUBLIC_URL: stack.publicUrl });
  workers = [startProcess("activities/worker.ts", env), startProcess("activities/worker.ts", env)];
  await Promise.all([apiReady(), ...workers.map((worker) => worker.said((message) => message === "worker ready"))]);
});
afterAll(async () => {
  await client?.connection.close();
  await Promise.all([...(workers ?? []), secondApi].map((each) => each?.[Symbol.asyncDispose]()));
  await stack?.stop();
});

test("nothing is posted twice when one worker starts a late post and another waits for it", async () => {
  const api = await newTenant(stack);
  await using prompt = startReceiver(200, { dataDir: dataDir() });
  await using late = startReceiver(() => Bun.sleep(LATE_MS).then(() => 200), { dataDir: dataDir() });
  await using busy = startReceiver([503, 200], { dataDir: dataDir() });
  const receivers = [prompt, late, busy];
  for (const { url } of receivers) await api.connect(url);
  await makeChanges(await inTurn(api), (made) => made >= CHANGES);

  await untilLogSaysDelivered(api);
  const { Items } = await api.events(`Limit=${CHANGES}`);
  await Promise.all(Items.map(({ WorkflowId }) => finished(client, WorkflowId)));
  expect(receivers.map(({ calls }) => calls.length)).toEqual([CHANGES, CHANGES, 2 * CHANGES]);
});

test("MaxInFlight limits the posts of all workers together", async () => {
  const api = await newTenant(stack);
  let [inFlight, max] = [0, 0];
  const answer = async () => {
    max = Math.max(max, ++inFlight);
    await Bun.sleep(200);
    inFlight--;
    return 200;
  };
  await using receiver = startReceiver(answer, { dataDir: dataDir() });
  await api.connect(receiver.url, { MaxInFlight: 2 });
  await makeChanges(await inTurn(api), (made) => made >= CHANGES, 12);
  await untilLogSaysDelivered(api);
  expect(receiver.calls).toHaveLength(CHANGES);
  expect(max).toBe(2);
});

test("Order Record holds with several workers and APIs", async () => {
  const api = await newTenant(stack);
  await using receiver = startReceiver(
    ({ count, payload }) => (count === 1 && String(payload.Data.Name).endsWith("3") ? 500 : 200),
    { dataDir: dataDir() },
  );
  await api.connect(receiver.url, { Order: "Record" });
  const turns = await inTurn(api);
  const gate = { change: (fields: Record<string, unknown>) => turns.change({ ...fields, ExternalId: "gate" }) };
  await makeChanges(gate, (made) => made >= CHANGES, 2);
  await untilLogSaysDelivered(api);
  const sequences = receiver.calls
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers.get("webhook-sequence")));
  expect(sequences).toEqual(Array.from({ length: CHANGES }, (_, index) => index + 1));
});

test("a frozen worker makes no change wait for longer than the others' poll", async () => {
  const api = await newTenant(stack);
  await using receiver = await connected(api, 200, { dataDir: dataDir() });
  process.kill(workers[1]!.pid, "SIGSTOP");
  try {
    await makeChanges(await inTurn(api), (made) => made >= CHANGES);
    await until("all to arrive", () => receiver.calls.length === CHANGES, 3 * POLL_MS);
  } finally {
    process.kill(workers[1]!.pid, "SIGCONT");
  }
});

test("two workers and an API killed under load lose nothing", async () => {
  const api = await newTenant(stack);
  await using receiver = await connected(api, ["hang", 200], { dataDir: dataDir() });
  const changes = makeChanges(await inTurn(api), (made) => made >= 2 * CHANGES);
  await until("posts to be out", () => receiver.calls.length > CHANGES / 2);
  process.kill(workers[0]!.pid, "SIGKILL");
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  process.kill(secondApi.pid, "SIGKILL");

  const committed = await changes;
  const ledger = await settleLedger("two workers of three and an API of two killed", committed, receiver);
  expect(ledger).toMatchObject({ delivered: committed.length, lost: 0 });
  await untilLogSaysDelivered(api);
});

const apiReady = () => secondApi.said((message) => message === "api ready");

const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

/** The tenant's client, which uses each API in turn. */
async function inTurn(api: Api): Promise<Pick<Api, "change">> {
  const { port } = await apiReady();
  const apis = [api, await signIn(`http://127.0.0.1:${port}`, api.tenant)];
  let turn = 0;
  return { change: (fields) => apis[turn++ % apis.length]!.change(fields) };
}
