// Behaviour under Temporal's guarantees: an attempt may run again if its result was lost.

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { createActivities } from "../../activities/index.ts";
import { createLogoutEngine } from "../../server/identity/logouts/logout-engine.ts";
import { createMailEngine } from "../../server/identity/mail/engine.ts";
import { createMailer } from "../../server/identity/mail/mailer.ts";
import { createKeyRotation } from "../../server/identity/oauth/keys/key-rotation.ts";
import { createInvitationEngine } from "../../server/identity/signin/invitations/imports/engine.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import type { DeliveryId, EventId, LogoutId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { createWorkerMetrics } from "../../server/platform/metrics/index.ts";
import { withoutCollector } from "../../server/platform/tracing/index.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createDeliveryEngine } from "../../server/webhooks/index.ts";
import { MAX_ATTEMPTS } from "../../workflows/contract.ts";
import { type Api, type Delivery, idOf, type LoggedEvent, until } from "../world/api.ts";
import { holdRows } from "../world/locks.ts";
import { logoutClient } from "../world/logouts.ts";
import { plantLogouts } from "../world/planted.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { makeDue } from "../world/rows.ts";
import { newTenant, setting, shared } from "../world/tenant.ts";

const LATER = new Response(null, { status: 503, headers: { "retry-after": "3600" } });
const RETRY = { initialInterval: 1, backoffCoefficient: 1, maximumInterval: 1, maximumAttempts: MAX_ATTEMPTS };
/** The SDK warns of every failed activity, which is expected here. */
const logger = new DefaultLogger("ERROR");
const sql = connect(shared().databaseUrl, "gatehouse test", 4);
afterAll(() => sql.end());
const log = createLog("silent", "test");
/** The limit of a worker's posts. */
const MAX_REQUESTS_PER_TENANT = 250;
const egress = createEgress({
  allow: ["127.0.0.0/8", "::1/128"],
  deny: [],
  dns: [],
  caFile: join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", "ca.pem"),
});
const vault = createVault(setting("GATEHOUSE_TEST_MASTER_KEY"));
const metrics = createWorkerMetrics();
const config = { timeout: 1_000, holdAfter: 10, probeInterval: 60_000 };
const NO_MAIL = { smtp: undefined, from: "", rate: 1, isKept: false };
const engine = createDeliveryEngine({
  ...{ sql, egress, vault, config, metrics, log },
  signCall: () => Promise.reject(new Error("No connection of these tests is signed by a key.")),
});
const activities = createActivities({
  patientSql: sql,
  engine,
  logouts: createLogoutEngine({ sql, egress, vault, publicUrl: "unused", timeoutMs: 1_000 }),
  mails: createMailEngine({ sql, egress, vault, mail: NO_MAIL, probeInterval: 60_000 }),
  invitations: createInvitationEngine({ sql, mailer: createMailer(vault, NO_MAIL, log), publicUrl: "unused" }),
  keyRotation: createKeyRotation(sql, vault),
  temporalBytes: async () => undefined,
  retention: { log: 1, payloads: 1, audit: 1 },
  log,
  metrics,
  tracing: withoutCollector(),
});

test.each([
  ["Delivered", 200, 1, { state: "Delivered", attempts: 1 }],
  ["Exhausted", 500, 3, "Exhausted"],
] as const)("a delivery that is %s is not posted again", async (state, status, posts, outcome) => {
  const api = await newTenant();
  await using receiver = await connected(api, status);
  const event = await api.settledChange({ Name: "Gate" });
  expect(event.State).toBe(state);
  const again = await post(api, event.EventId, event.Deliveries[0]!).catch((error) => error.type);
  expect(again).toEqual(outcome);
  expect(receiver.calls).toHaveLength(posts);
  expect(await api.event(event.EventId)).toEqual(event);
});

test("a delivery whose retry is not due is not posted, and waits in the queue until it is", async () => {
  const api = await newTenant();
  await using receiver = await connected(api, LATER);
  await api.change({ Name: "Gate" });
  await until("the retry to wait", async () => (await api.newestEvent()).State === "Retrying");
  const before = await api.newestEvent();
  expect(await post(api, before.EventId, before.Deliveries[0]!)).toEqual({ state: "Queued", attempts: 0 });
  await expectUntouched(api, before);
  expect(receiver.calls).toHaveLength(1);
});

test("a delivery of another tenant is not found", async () => {
  const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
  await using _ = await connected(api);
  const event = await api.settledChange({ Name: "Gate" });
  await expect(post(stranger, event.EventId, event.Deliveries[0]!)).rejects.toThrow("not in the database");
});

test.each(["opened", "recorded"])("a delivery that is locked when it is to be %s delays no other", async (step) => {
  const api = await newTenant();
  const answer = Promise.withResolvers<number>();
  await using receiver = startReceiver(({ url, count }) => {
    if (count <= 5) return LATER;
    return url.searchParams.has("locked") ? answer.promise : 200;
  });
  const { Id } = await api.connect(`${receiver.url}?locked=`);
  for (let other = 1; other <= 4; other++) await api.connect(receiver.url);
  await api.change({ Name: "Gate" });
  const { EventId } = await api.newestEvent();
  const countOf = async (state: string) =>
    (await api.event(EventId)).Deliveries.filter(({ State }) => State === state).length;
  await until("all to wait for an hour", async () => (await countOf("Retrying")) === 5);
  await makeDue(api);
  const { Deliveries } = await api.event(EventId);
  const locked = Deliveries.find(({ ConnectionId }) => ConnectionId === Id)!;
  const others = Deliveries.filter((delivery) => delivery !== locked);

  if (step === "recorded") {
    void post(api, EventId, locked);
    await until("its post", () => receiver.calls.length === 6);
  }
  await using lock = await holdRows("deliveries", { id: locked.Id }, sql);
  answer.resolve(200);
  if (step === "opened") void post(api, EventId, locked);
  await Promise.all(others.map((delivery) => post(api, EventId, delivery)));
  expect(await countOf("Delivered")).toBe(4);
  await lock.release();
  await until("the locked one", async () => (await countOf("Delivered")) === 5);
  expect(receiver.calls).toHaveLength(10);
});

test("a post without a free place is not an attempt, and is made later", async () => {
  const api = await newTenant();
  await using receiver = startReceiver([LATER, 200]);
  await using hanging = startReceiver("hang");
  await api.connect(receiver.url);
  await api.change({ Name: "Gate" });
  await until("the retry to wait", async () => (await api.newestEvent()).State === "Retrying");
  await makeDue(api);
  const before = await api.newestEvent();
  const caller = new AbortController();
  const { tenantId } = api.tenant;
  const taken = { tenantId, url: hanging.url, headers: {}, body: "{}", timeoutMs: 60_000 };
  const attack = Array.from({ length: MAX_REQUESTS_PER_TENANT }, () =>
    egress.post({ ...taken, signal: caller.signal }),
  );

  expect(await post(api, before.EventId, before.Deliveries[0]!)).toEqual({ state: "Queued", attempts: 0 });
  await expectUntouched(api, before);
  expect(receiver.calls).toHaveLength(1);

  caller.abort();
  await Promise.all(attack);
  expect(await post(api, before.EventId, before.Deliveries[0]!)).toEqual({ state: "Delivered", attempts: 2 });
  const [delivery] = (await api.event(before.EventId)).Deliveries;
  expect(delivery!.Attempts.map((made) => [made.Number, made.StatusCode])).toEqual([
    [1, 503],
    [2, 200],
  ]);
});

describe("a workflow given up by Temporal", () => {
  test("leaves a delivery with attempts left to wait in the queue; if cancelled, the delivery is final", async () => {
    const api = await newTenant();
    await using receiver = await connected(api, LATER);
    await api.change({ Name: "Gate" });
    await until("the retry to wait", async () => (await api.newestEvent()).State === "Retrying");
    const before = await api.newestEvent();
    const { Id: deliveryId, ConnectionId: connectionId } = before.Deliveries[0]!;
    const { tenantId } = api.tenant;
    const eventId = before.EventId;
    const close = (cancelled: boolean) =>
      activities.closeDelivery({
        tenantId,
        eventId,
        deliveryId,
        connectionId,
        cancelled,
        maximumAttempts: MAX_ATTEMPTS,
      });
    expect(await close(false)).toEqual({ state: "Queued", attempts: 1 });
    await expectUntouched(api, before);
    expect(await close(true)).toMatchObject({ state: "Cancelled", attempts: 1 });
    expect((await api.newestEvent()).State).toBe("Cancelled");
    expect(receiver.calls).toHaveLength(1);
  });

  test("leaves a logout with attempts left to a new workflow; if cancelled, the logout is final", async () => {
    await using receiver = startReceiver(LATER);
    const { client } = await logoutClient(receiver.url);
    const { tenantId } = client.tenant;
    const waiting = { state: "Retrying", attempts: 1, lease_until: "infinity" };
    const [id] = await plantLogouts(client.tenant, client.id, 1, waiting, sql);
    const logoutId = idOf<LogoutId>(id!);
    const close = (cancelled: boolean) =>
      activities.closeLogout({ tenantId, logoutId, cancelled, maximumAttempts: MAX_ATTEMPTS });
    expect(await close(false)).toEqual({ state: "Retrying", attempts: 1 });
    expect(await close(true)).toEqual({ state: "Cancelled", attempts: 1 });
  });
});

test("an attempt that cannot be requested fails alone", async () => {
  const api = await newTenant();
  await using _ = await connected(api, LATER);
  await api.change({ Name: "Gate" });
  await until("the retry to wait", async () => (await api.newestEvent()).State === "Retrying");
  await makeDue(api);
  const { EventId: eventId, Deliveries } = await api.newestEvent();
  const [delivery] = Deliveries;
  const start = (deliveryId: DeliveryId) =>
    engine.startAttempt({
      tenantId: api.tenant.tenantId,
      eventId,
      deliveryId,
      maximumAttempts: MAX_ATTEMPTS,
      startedBy: Bun.randomUUIDv7(),
    });
  const [known, impossible] = await Promise.allSettled([start(delivery!.Id), start(idOf<DeliveryId>("no id"))]);
  expect(known).toMatchObject({ status: "fulfilled", value: { id: delivery!.Id, attempted: true, number: 2 } });
  expect(impossible.status).toBe("rejected");
});

async function post(api: Api, eventId: EventId, { Id, ConnectionId }: Delivery): Promise<unknown> {
  return new MockActivityEnvironment({ attempt: 1 }, { logger }).run(activities.postWebhook, {
    ...{ tenantId: api.tenant.tenantId, eventId, deliveryId: Id, connectionId: ConnectionId },
    ...{ retry: RETRY, fromQueue: false },
  });
}

/** Only the workflow that continues it differs. */
async function expectUntouched(api: Api, { EventId, Deliveries }: LoggedEvent): Promise<void> {
  const withoutWorkflows = (deliveries: Delivery[]) =>
    deliveries.map(({ WorkflowId: _, WorkflowUrl: __, ...delivery }) => delivery);
  expect(withoutWorkflows((await api.event(EventId)).Deliveries)).toEqual(withoutWorkflows(Deliveries));
}
