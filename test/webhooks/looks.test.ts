// Checks of a queue that another worker holds, whose release is not notified.

import { expect, test } from "bun:test";
import type { Sql } from "../../server/platform/db/sql.ts";
import { POLL_MS } from "../../server/platform/db/watch.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import { createLog } from "../../server/platform/log.ts";
import { SOON_MS } from "../../server/webhooks/deliveries/loop.ts";
import { lockQueue } from "../../server/webhooks/deliveries/queue.store.ts";
import { startQueue } from "../../server/webhooks/deliveries/queue.ts";
import type { DeliveryConfig } from "../../server/webhooks/deliveries/start-workflow.ts";
import { createStartingWorkflows } from "../../server/webhooks/deliveries/starting.ts";
import { createWindows } from "../../server/webhooks/deliveries/windows.ts";
import { TASK_QUEUE } from "../../workflows/contract.ts";
import { temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { db, newTenant } from "../world/tenant.ts";

const webhooks = { retryInitialInterval: 1_000, retryBackoff: 2, timeout: 30_000 };
/** More than the checks in this time if each wait doubled without a limit. */
const LOOKS = 11;
/** A timer may fire this much early. */
const EARLY_MS = 2;

test("a queue claimed by another worker is checked at growing intervals, at most a poll apart, and sent once it is free", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const { Id: connectionId } = await api.connect(receiver.url, { Order: "Record" });
  const looks: number[] = [];
  const queue = startQueue({
    sql: watched(db(), () => looks.push(performance.now())),
    client: await temporal(),
    config: { webhooks, publicUrl: "https://gatehouse.example" } as DeliveryConfig,
    starting: createStartingWorkflows(),
    windows: createWindows(),
    egress: createEgress({ allow: [], deny: [], dns: [], caFile: undefined }),
    ownTaskQueue: TASK_QUEUE,
    log: createLog("silent", "test"),
  });
  try {
    await db().begin(async (tx) => {
      expect(await lockQueue(tx, connectionId)).toMatchObject({ isOrdered: true });
      await api.change({ Name: "Gate" });
      queue.check({ tenantId: api.tenant.tenantId, connectionId });
      await until("many looks", () => looks.length >= LOOKS);
    });
    const waits = looks.slice(1).map((at, index) => at - looks[index]!);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(Math.min(POLL_MS, SOON_MS * 2 ** (index + 1)) - EARLY_MS);
    }
    await until("it to arrive", () => receiver.calls.length === 1);
  } finally {
    await queue.stop();
  }
});

/** @param look called for each transaction */
function watched(sql: Sql, look: () => void): Sql {
  return new Proxy(sql, {
    get(target, name) {
      if (name === "begin") look();
      return Reflect.get(target, name);
    },
  });
}
