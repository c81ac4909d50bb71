// What Temporal may do at any time: run an attempt again whose outcome it never heard of.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { createActivities } from "../../activities/index.ts";
import { createPosts } from "../../activities/posts.ts";
import { connect } from "../../server/db/connection.ts";
import { createEgress } from "../../server/egress/index.ts";
import { createLog } from "../../server/log.ts";
import { importMasterKey } from "../../server/master-key.ts";
import { createWorkerMetrics } from "../../server/metrics/index.ts";
import { withoutCollector } from "../../server/tracing/index.ts";
import { createInFlight, createSlowLane } from "../../server/webhooks/index.ts";
import { MAXIMUM_ATTEMPTS } from "../../workflows/contract.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant, setting, shared } from "../support/tenant.ts";

const RETRY = { initialInterval: 1, backoffCoefficient: 1 };
/** The SDK warns of every activity that fails, as these shall. */
const logger = new DefaultLogger("ERROR");
const sql = connect(shared().databaseUrl, "gatehouse test", 2);
afterAll(() => sql.end());
const log = createLog("silent", "test");
const activities = createActivities({
  sql,
  egress: createEgress({
    allow: ["127.0.0.0/8", "::1/128"],
    caFile: join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", "ca.pem"),
  }),
  masterKey: importMasterKey(setting("GATEHOUSE_TEST_MASTER_KEY")),
  log,
  metrics: createWorkerMetrics(),
  tracing: withoutCollector(),
  inFlight: createInFlight(1_000),
  slowLane: createSlowLane(sql, 1_000, log),
  posts: createPosts(),
  holding: { after: 10, probeInterval: 60_000 },
  timeout: 1_000,
});

test.each([
  ["Delivered", 200, 1, { state: "Delivered", attempts: 1 }],
  ["Exhausted", 500, 3, "Exhausted"],
] as const)(
  "a delivery that is %s is not posted again",
  async (state, status, posts, outcome) => {
    const api = await newTenant();
    await using receiver = startReceiver(status);
    await api.connect(receiver.url);
    await api.change({ Name: "Gate" });
    const event = await api.settledEvent();
    expect(event.State).toBe(state);
    const input = {
      tenantId: api.tenant.tenantId,
      deliveryId: event.Deliveries[0]!.Id,
      connectionId: event.Deliveries[0]!.ConnectionId,
      maximumAttempts: MAXIMUM_ATTEMPTS,
      retry: RETRY,
    };
    const again = await new MockActivityEnvironment({ attempt: 1 }, { logger })
      .run(activities.postWebhook, input)
      .catch((error) => error.type);
    expect(again).toEqual(outcome);
    expect(receiver.calls).toHaveLength(posts);
    expect(await api.event(event.EventId)).toEqual(event);
  },
  60_000,
);

test("a delivery of another tenant is not found", async () => {
  const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
  await using receiver = startReceiver();
  await api.connect(receiver.url);
  await api.change({ Name: "Gate" });
  const event = await api.settledEvent();
  const input = {
    tenantId: stranger.tenant.tenantId,
    deliveryId: event.Deliveries[0]!.Id,
    connectionId: event.Deliveries[0]!.ConnectionId,
    maximumAttempts: MAXIMUM_ATTEMPTS,
    retry: RETRY,
  };
  const attempt = new MockActivityEnvironment({}, { logger }).run(activities.postWebhook, input);
  await expect(attempt).rejects.toThrow("not in the database");
}, 60_000);
