import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { temporalFiles } from "../../server/embedded/leftovers.ts";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { makeChanges, untilLogSaysDelivered } from "./ledger.ts";

const CHANGES = 60;

test("redeliveries outlive the kill of each part and the loss of Temporal's store, and skip nothing", async () => {
  await using stack = await startStack({ env: { WEBHOOK_RECONCILE_INTERVAL: "1s" } });
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

  // What is wished for while nobody is there to do it is not forgotten with the one it was told to.
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
}, 180_000);

async function loseTemporal(stack: Stack): Promise<void> {
  process.kill(stack.parts.temporal.pid!, "SIGKILL");
  await stack.parts.temporal.stop();
  rmSync(temporalFiles(stack.dataDir).folder, { recursive: true });
  await stack.parts.temporal.start();
}
