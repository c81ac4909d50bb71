import { expect, test } from "bun:test";
import { startVictim } from "../support/victim.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 100;

test("a tenant's change does not wait for another tenant's earlier burst", async () => {
  const stack = await startVictim();
  const [loud, quiet] = await Promise.all([newTenant(stack), newTenant(stack)]);
  await using receiver = startReceiver(200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
  await Promise.all([loud.connect(receiver.url), quiet.connect(receiver.url)]);
  await stack.parts.worker.stop();
  let made = 0;
  const lane = async () => {
    while (made < CHANGES) await loud.change({ Name: `Gate ${++made}` });
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  await quiet.change({ Name: "Door" });

  await stack.parts.worker.start();
  await until("all to arrive", () => receiver.calls.length > CHANGES);
  const place = receiver.calls.findIndex(({ payload }) => payload.TenantId === quiet.tenant.tenantId);
  expect(place).toBeLessThan(CHANGES / 2);
});
