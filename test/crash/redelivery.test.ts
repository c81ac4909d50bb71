import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { temporalFiles } from "../../server/appliance/embedded/processes.ts";
import { makeChanges, untilLogSaysDelivered } from "../support/ledger.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 60;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    env: { WEBHOOK_RECONCILE_INTERVAL: "1s", WEBHOOK_HOLD_AFTER: "3", WEBHOOK_PROBE_INTERVAL: "300ms" },
  });
});
afterAll(() => stack?.stop());

test("redeliveries survive the kill of each part and the loss of Temporal's store, and skip nothing", async () => {
  const api = await newTenant(stack);
  const dataDir = process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
  await using receiver = startReceiver(200, { dataDir });
  await using other = startReceiver([410, 200], { dataDir });
  const { Id: ConnectionId } = await api.connect(receiver.url);
  const { Id: single } = await api.connect(other.url, { Entities: ["Department"] });
  await makeChanges(api, (made) => made >= CHANGES);
  await api.call("PATCH", "/Department", { Name: "Sales" });
  const { EventId } = await until("the other to refuse", async () => (await api.events("State=Exhausted")).Items[0]);
  await api.setState(single, "Active");
  await until("all to arrive", async () => (await api.events("State=Delivered&Limit=200")).Items.length === CHANGES);

  // A request stored while no worker runs is not lost.
  await stack.parts.worker.stop();
  expect((await api.redeliver(EventId)).status).toBe(200);
  const { Id } = await api.replay({ ConnectionId, States: ["Delivered"], Rate: 10 });
  process.kill(stack.parts.api.pid!, "SIGKILL");
  await until("the API to come back", () => stack.readiness().catch(() => undefined));
  await stack.parts.worker.start();
  await until("the event to arrive", () => other.callsFor(EventId).length === 2);

  const sent = () => receiver.calls.length - CHANGES;
  await until("a quarter", () => sent() >= CHANGES / 4);
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  await until("a half", () => sent() >= CHANGES / 2);
  await loseTemporal(stack);
  await until("three quarters", () => sent() >= (CHANGES * 3) / 4);
  process.kill(stack.parts.postgresql.pid!, "SIGKILL");

  const ended = await until("it to end", async () => {
    const redelivery = await api.redelivery(Id).catch(() => undefined);
    return redelivery?.EndedOn && redelivery;
  });
  expect(ended).toMatchObject({ State: "Completed", Total: CHANGES, Done: CHANGES, Delivered: CHANGES });
  const names = new Set(receiver.calls.slice(CHANGES).map(({ payload }) => payload.Data.Name));
  expect(names.size).toBe(CHANGES);
  await untilLogSaysDelivered(api);
});

test("a Held connection is probed and drained after its worker is killed and Temporal's store is lost", async () => {
  const api = await newTenant(stack);
  let sound = false;
  const dataDir = process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
  await using receiver = startReceiver(() => (sound ? 200 : 410), { dataDir });
  const { Id } = await api.connect(receiver.url);
  await api.change({ Name: "Last straw" });
  await until("it to be held", async () => (await api.connection(Id)).State === "Held");
  const missed = await makeChanges(api, (made) => made >= CHANGES / 2);
  await until("a probe", () => receiver.calls.some(({ payload }) => payload.Data.Name !== "Last straw"));
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  await loseTemporal(stack);
  sound = true;
  const arrived = () => new Set(receiver.calls.filter((it) => it.status === 200).map((it) => it.payload.Data.Name));
  await until("a few to arrive", () => arrived().size >= 5);
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  await until("all to arrive", () => arrived().size === missed.length);
  expect([...arrived()].toSorted()).toEqual(missed.toSorted());
  await until("the log to say so", async () => (await api.events("State=Held")).Items.length === 0);
  expect((await api.connection(Id)).State).toBe("Active");
});

async function loseTemporal(stack: Stack): Promise<void> {
  process.kill(stack.parts.temporal.pid!, "SIGKILL");
  await stack.parts.temporal.stop();
  rmSync(temporalFiles(stack.dataDir).folder, { recursive: true });
  await stack.parts.temporal.start();
}
