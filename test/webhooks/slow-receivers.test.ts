// A slow receiver delays no others: not of the same event, of other events, or of other tenants.

import { afterAll, describe, expect, test } from "bun:test";
import { FIRST_SIZE } from "../../server/webhooks/deliveries/windows.ts";
import { startStack } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { type Api, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

// Longer than any test, so hanging posts end only when they are released.
const stack = await startStack({ env: { WEBHOOK_TIMEOUT: "120s" } });
const client = await temporal(stack.temporalAddress);
afterAll(async () => {
  await client?.connection.close();
  await stack?.stop();
});

describe.concurrent("a receiver that hangs", () => {
  test("does not delay retries of the event's other receivers, which wait in a workflow of their own", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using busy = startReceiver([503, 503, 200], { dataDir: dataDir() });
    await api.connect(sluggish.receiver.url);
    const { Id } = await api.connect(busy.url);
    await api.change({ Name: "Gate" });

    await until("the other receiver to have it", () => busy.calls.length === 3);
    expect(sluggish.receiver.calls).toHaveLength(1);
    const { WorkflowId, Deliveries } = await api.newestEvent();
    const left = Deliveries.find(({ ConnectionId }) => ConnectionId === Id)!.WorkflowId;
    expect(left).toStartWith(`${WorkflowId}/`);
    await client.workflow.getHandle(left).result();
    const { events } = await client.workflow.getHandle(left).fetchHistory();
    // A fast receiver's retry waits by a timer of the workflow, a slow receiver's by Temporal's own retry.
    const waits = events!.some(
      ({ timerStartedEventAttributes, activityTaskStartedEventAttributes }) =>
        timerStartedEventAttributes || activityTaskStartedEventAttributes?.attempt === 2,
    );
    expect(waits).toBe(true);

    sluggish.release();
    expect((await api.settledEvent()).State).toBe("Delivered");
    expect(sluggish.receiver.calls).toHaveLength(1);
    await client.workflow.getHandle(WorkflowId).result();
  });

  test("has at most its window of posts in flight; the rest waits in PostgreSQL and other receivers are not affected", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    await api.connect(sluggish.receiver.url);
    await api.connect(prompt.url);
    const changes = 5 * FIRST_SIZE;
    await makeChanges(api, changes);
    await until("the other receiver to have all", () => prompt.calls.length === changes);
    await until("its window to be full", () => sluggish.receiver.calls.length === FIRST_SIZE);
    const running = `TenantId = "${api.tenant.tenantId}" AND ExecutionStatus = "Running"`;
    await until(
      "nothing more to be under way",
      async () => (await client.workflow.count(running)).count === FIRST_SIZE,
    );
    expect(sluggish.receiver.calls).toHaveLength(FIRST_SIZE);

    sluggish.release();
    await until("all that waited", async () => (await undelivered(api)) === 0);
    expect(sluggish.receiver.calls).toHaveLength(changes);
    expect(new Set(sluggish.receiver.calls.map(({ payload }) => payload.EventId)).size).toBe(changes);
  });

  test("has its waiting deliveries in separate workflows, so the event's other workflow completes", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    const slow = await api.connect(sluggish.receiver.url);
    await api.connect(prompt.url);
    await makeChanges(api, 2 * FIRST_SIZE);
    await until("its window to be full", () => sluggish.receiver.calls.length === FIRST_SIZE);

    await api.change({ Name: "Next" });
    const { EventId, WorkflowId } = await api.newestEvent();
    await until("the other to have it", () => prompt.callsFor(EventId).length === 1);
    await client.workflow.getHandle(WorkflowId).result();
    expect(sluggish.receiver.callsFor(EventId)).toHaveLength(0);

    sluggish.release();
    await until("its own", () => sluggish.receiver.callsFor(EventId).length === 1);
    const { Deliveries } = await api.settled(EventId);
    const delivery = Deliveries.find(({ ConnectionId }) => ConnectionId === slow.Id)!;
    await client.workflow.getHandle(delivery.WorkflowId).result();
    await until("all that waited", async () => (await undelivered(api)) === 0);
  });

  test("does not delay another tenant's change, whatever it has waiting", async () => {
    const [slow, quick] = await Promise.all([newTenant(stack), newTenant(stack)]);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    for (let index = 0; index < 10; index++) await slow.connect(sluggish.receiver.url);
    await quick.connect(prompt.url);
    await makeChanges(slow, 20);
    await until("its windows to be full", () => sluggish.receiver.calls.length === 10 * FIRST_SIZE);

    await quick.change({ Name: "Door" });
    expect((await quick.settledEvent()).State).toBe("Delivered");
    expect(sluggish.receiver.calls).toHaveLength(10 * FIRST_SIZE);
    sluggish.release();
    await until("all of it", async () => (await undelivered(slow)) === 0);
    expect(sluggish.receiver.calls).toHaveLength(200);
  });
});

const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

/** Hangs until it is released, then answers all calls. */
function startSluggish() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const receiver = startReceiver(() => released.then(() => 200), { dataDir: dataDir() });
  return { receiver, release, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

async function undelivered(api: Api): Promise<number> {
  const { Items } = await api.events("Limit=200");
  return Items.filter(({ State }) => State !== "Delivered").length;
}

async function makeChanges(api: Api, count: number): Promise<void> {
  let made = 0;
  const lane = async () => {
    // A unique name, because a change without a difference has no event.
    while (made < count) await api.change({ Name: `Gate ${Bun.randomUUIDv7()} ${++made}` });
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}
