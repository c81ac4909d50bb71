// The outbox with the test's own dispatcher; that of the worker is stopped.

import { expect, test } from "bun:test";
import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import { createLog } from "../../server/platform/log.ts";
import { createWorkerMetrics } from "../../server/platform/metrics/index.ts";
import { startDispatcher } from "../../server/webhooks/deliveries/dispatcher.ts";
import type { DeliveryConfig } from "../../server/webhooks/deliveries/start-workflow.ts";
import { createStartingWorkflows, STARTING_MS } from "../../server/webhooks/deliveries/starting.ts";
import { createWindows } from "../../server/webhooks/deliveries/windows.ts";
import { startRelay } from "../support/relay.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const PATIENCE_MS = 150_000;
const webhooks = { retryInitialInterval: 1_000, retryBackoff: 2, timeout: 1_000 };

test("returns an event that Temporal does not confirm, and starts it once Temporal does", async () => {
  await using stack = await startStack();
  const api = await newTenant(stack);
  await stack.parts.worker.stop();
  await using relay = await startRelay(`http://${stack.demo.temporalAddress}`);
  const connection = await NativeConnection.connect({ address: relay.address });
  const sql = connect(stack.databaseUrl, "gatehouse test", 4);
  relay.swallow();
  const dispatcher = dispatcherOf(stack, sql, new Client({ connection }));
  const lease = async () => {
    const rows = await rowsOf<{ lease_until: Date }>("dispatches", {}, sql);
    // A lease of minus infinity is none.
    return rows.find(({ lease_until }) => Number.isFinite(+lease_until))?.lease_until;
  };
  try {
    await api.change({ Name: "Gate" });
    let last: Date | undefined;
    // Waiting only for a lease takes longer.
    await until(
      "a lease to be cut short",
      async () => {
        const before = last;
        last = await lease();
        return before && last && last < before;
      },
      2 * PATIENCE_MS,
    );
    relay.mend();
    await until("it to leave", async () => (await lease()) === undefined, 2 * PATIENCE_MS);
  } finally {
    relay.mend();
    await dispatcher.stop();
    await sql.end();
    await connection.close();
  }
});

test("releases each event when its start ends, and no start outlasts the event's lease", async () => {
  await using stack = await startStack();
  const api = await newTenant(stack);
  await stack.parts.worker.stop();
  for (const Name of ["Slow", "Quick", "Quick too"]) await api.change({ Name });
  const slow = (await api.events()).Items.at(-1)!.EventId;

  const answer = Promise.withResolvers<void>();
  const deadlines: number[] = [];
  class WatchedClient extends Client {
    override withDeadline<R>(deadline: number | Date, start: () => Promise<R>): Promise<R> {
      deadlines.push(Number(deadline));
      return super.withDeadline(deadline, start);
    }
  }
  const connection = await NativeConnection.connect({ address: stack.demo.temporalAddress });
  const client = new WatchedClient({
    connection,
    interceptors: {
      workflow: [
        {
          async startWithDetails(input, next) {
            if (input.options.workflowId.endsWith(slow)) await answer.promise;
            return next(input);
          },
        },
      ],
    },
  });
  const sql = connect(stack.databaseUrl, "gatehouse test", 4);
  const dispatcher = dispatcherOf(stack, sql, client);
  const waiting = async () =>
    (await rowsOf<{ event_id: string }>("dispatches", {}, sql)).map(({ event_id }) => event_id);
  try {
    await until("the others to leave", async () => (await waiting()).length === 1, PATIENCE_MS);
    expect(await waiting()).toEqual([slow]);
    answer.resolve();
    await until("all to leave", async () => (await waiting()).length === 0, PATIENCE_MS);
    expect(deadlines).toHaveLength(3);
    for (const deadline of deadlines) expect(deadline).toBeLessThan(Date.now() + STARTING_MS / 2);
  } finally {
    answer.resolve();
    await dispatcher.stop();
    await sql.end();
    await connection.close();
  }
});

function dispatcherOf({ url }: Stack, sql: Sql, client: Client) {
  return startDispatcher({
    sql,
    client,
    config: { webhooks, publicUrl: url } as DeliveryConfig,
    starting: createStartingWorkflows(),
    windows: createWindows(),
    egress: createEgress({ allow: [], deny: [], dns: [], caFile: undefined }),
    ownTaskQueue: "of the test",
    log: createLog("silent", "test"),
    metrics: createWorkerMetrics(),
    isFirst: () => true,
  });
}
