import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, Connection } from "@temporalio/client";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";

/** More than a worker takes on for one tenant, and what it may take on beyond its bound while lanes race. */
const CHANGES = 260;
const BOUND = 150;
const BEYOND = 64;

let stack: Stack;
let client: Client;

beforeAll(async () => {
  stack = await startStack({ env: { WEBHOOK_TIMEOUT: "60s" } });
  client = new Client({ connection: await Connection.connect({ address: stack.temporalAddress }) });
}, 60_000);
afterAll(async () => {
  await client?.connection.close();
  await stack?.stop();
}, 30_000);

test("a burst to a receiver that is slow waits in PostgreSQL, and another tenant's change passes it by", async () => {
  const [slow, quick] = await Promise.all([newTenant(stack), newTenant(stack)]);
  const dataDir = process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using sluggish = startReceiver(() => released.then(() => 200), { dataDir });
  await using prompt = startReceiver(200, { dataDir });
  await slow.connect(sluggish.url);
  await quick.connect(prompt.url);
  let made = 0;
  const lane = async () => {
    while (made < CHANGES) await slow.change({ Name: `Gate ${++made}` });
  };
  await Promise.all([lane(), lane(), lane(), lane()]);

  await until("the worker to be as busy as one tenant may make it", () => sluggish.calls.length > BOUND - 16);
  await quick.change({ Name: "Door" });
  expect((await quick.settledEvent()).State).toBe("Delivered");
  const { count } = await client.workflow.count(`TenantId = "${slow.tenant.tenantId}"`);
  expect(count).toBeLessThanOrEqual(BOUND + BEYOND);
  expect(sluggish.calls.length).toBeLessThanOrEqual(BOUND + BEYOND);

  release();
  await until("all of the burst", () => sluggish.calls.length === CHANGES, 60_000);
  expect(new Set(sluggish.calls.map((call) => call.payload.EventId)).size).toBe(CHANGES);
}, 120_000);
