// A receiver that keeps its callers waiting must cost nobody else: not the other receivers of the same event, not other
// events, not other tenants.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "@temporalio/client";
import { SLOW_TASK_QUEUE } from "../../workflows/contract.ts";
import { type Api, until } from "../support/api.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { historyText, temporal } from "./temporal.ts";

/** What a worker takes on for one tenant, and what it may take on beyond its bound while lanes race. */
const BOUND = 150;
const BEYOND = 64;
/** Slow posts at a time that make a receiver known, and how many of those that wait may join them at first. */
const POSTS_TO_TELL = 10;
const TURNS = 5;
/** So slowly that ten posts take far longer than a second. */
const CHANGE_EVERY_MS = 300;
/** The local activity that posts within its workflow's task, as a history names it. */
const IN_TASK = "postWebhook";
/** Quick posts in a row after which a receiver is slow no more. */
const QUICK_POSTS = 5;

let stack: Stack;
let client: Client;

beforeAll(async () => {
  // Longer than any test: what hangs does so until it is released.
  stack = await startStack({ env: { WEBHOOK_TIMEOUT: "60s" } });
  client = await temporal(stack.temporalAddress);
}, 60_000);
afterAll(async () => {
  await client?.connection.close();
  await stack?.stop();
}, 30_000);

describe.concurrent("a receiver that hangs", () => {
  test("does not keep the event's other receivers from their retries, and gets no second post for being slow", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using busy = startReceiver([503, 503, 200], { dataDir: dataDir() });
    const slow = await api.connect(sluggish.receiver.url);
    await api.connect(busy.url);
    await api.change({ Name: "Gate" });

    await until("the other receiver to have it", () => busy.calls.length === 3);
    const { EventId, Deliveries } = await api.newestEvent();
    expect(sluggish.receiver.calls).toHaveLength(1);
    expect(Deliveries.find(({ ConnectionId }) => ConnectionId === slow.Id)).toMatchObject({ Attempts: [] });

    sluggish.release();
    const event = await api.settledEvent();
    expect(event.State).toBe("Delivered");
    expect(sluggish.receiver.calls).toHaveLength(1);
    await client.workflow.getHandle(EventId).result();
    expect(await historyText(client, EventId)).toContain(SLOW_TASK_QUEUE);
  }, 60_000);

  test("has deliveries in workflows of their own once it is known, so that the event's other workflow completes", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    const slow = await api.connect(sluggish.receiver.url);
    await api.connect(prompt.url);
    await becomeKnown(api, sluggish.receiver);

    await api.change({ Name: "Next" });
    const { EventId } = await api.newestEvent();
    await until("the slow receiver's turn", () => sluggish.receiver.callsFor(EventId).length === 1);
    await client.workflow.getHandle(EventId).result();
    const event = await api.event(EventId);
    const [own, other] = event.Deliveries.toSorted((a) => (a.ConnectionId === slow.Id ? -1 : 1));
    expect(other).toMatchObject({ WorkflowId: EventId, State: "Delivered" });
    expect(own!.WorkflowId).toStartWith(`${EventId}/`);
    const running = client.workflow.getHandle(own!.WorkflowId);
    expect((await running.describe()).status.name).toBe("RUNNING");

    sluggish.release();
    await running.result();
    expect((await api.event(EventId)).State).toBe("Delivered");
    expect(sluggish.receiver.callsFor(EventId)).toHaveLength(1);
  }, 60_000);

  test("is known by a few posts already, if it has answered none of them for a second", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    const slow = await api.connect(sluggish.receiver.url);
    await api.connect(prompt.url);
    await until("a delivery in a workflow of its own", async () => {
      await Bun.sleep(CHANGE_EVERY_MS);
      await makeChanges(api, 1);
      const { EventId } = await api.newestEvent();
      await until("the other receiver to have it", () => prompt.callsFor(EventId).length === 1);
      const { Deliveries } = await api.event(EventId);
      return Deliveries.find(({ ConnectionId }) => ConnectionId === slow.Id)!.WorkflowId !== EventId;
    });
    expect(sluggish.receiver.calls.length).toBeLessThan(POSTS_TO_TELL);
    sluggish.release();
  }, 60_000);

  test("keeps no event from another receiver that was paused, and has its turns all the same", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using paused = startReceiver(200, { dataDir: dataDir() });
    await api.connect(sluggish.receiver.url);
    const { Id } = await api.connect(paused.url);
    const beside = await becomeKnown(api, sluggish.receiver);
    await api.setState(Id, "Paused");
    const changes = 2 * TURNS;
    await makeChanges(api, changes);
    await until("all its turns to be taken", () => sluggish.receiver.calls.length === beside + TURNS);

    await api.setState(Id, "Active");
    await until("what the other has missed", () => paused.calls.length === POSTS_TO_TELL + changes);
    sluggish.release();
    await until("its own", () => sluggish.receiver.calls.length === POSTS_TO_TELL + changes);
  }, 120_000);

  test("is as any other soon after it is quick again: what it has missed comes, and what is new in the event's workflow", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    const slow = await api.connect(sluggish.receiver.url);
    await api.connect(prompt.url);
    const beside = await becomeKnown(api, sluggish.receiver);
    const missed = TURNS + QUICK_POSTS;
    await makeChanges(api, missed);
    await until("all its turns to be taken", () => sluggish.receiver.calls.length === beside + TURNS);

    sluggish.release();
    await until("what it has missed", () => sluggish.receiver.calls.length === POSTS_TO_TELL + missed);
    await until("a delivery beside the others", async () => {
      await makeChanges(api, 1);
      const { EventId, Deliveries } = await api.settledEvent();
      return Deliveries.find(({ ConnectionId }) => ConnectionId === slow.Id)!.WorkflowId === EventId;
    });
  }, 60_000);

  test("has but a few posts out, while the rest waits in PostgreSQL and another slow receiver has its own turns", async () => {
    const api = await newTenant(stack);
    await using sluggish = startSluggish();
    await using other = startSluggish();
    await api.connect(sluggish.receiver.url);
    const beside = await becomeKnown(api, sluggish.receiver);
    const changes = 3 * TURNS;
    await makeChanges(api, changes);
    await until("all its turns to be taken", () => sluggish.receiver.calls.length >= beside + TURNS);

    const stranger = await newTenant(stack);
    await stranger.connect(other.receiver.url);
    const besideOther = await becomeKnown(stranger, other.receiver);
    await makeChanges(stranger, TURNS);
    await until("the other's turns", () => other.receiver.calls.length === besideOther + TURNS);
    expect(sluggish.receiver.calls).toHaveLength(beside + TURNS);
    const { count } = await client.workflow.count(`TenantId = "${api.tenant.tenantId}"`);
    expect(count).toBeLessThanOrEqual(POSTS_TO_TELL + TURNS);

    sluggish.release();
    other.release();
    await until("all that waited", () => sluggish.receiver.calls.length === POSTS_TO_TELL + changes);
    expect(new Set(sluggish.receiver.calls.map((call) => call.payload.EventId)).size).toBe(POSTS_TO_TELL + changes);
  }, 60_000);

  test("holds no more of a burst in Temporal than a worker takes on, and lets another tenant's change pass", async () => {
    const [slow, quick] = await Promise.all([newTenant(stack), newTenant(stack)]);
    await using sluggish = startSluggish();
    await using prompt = startReceiver(200, { dataDir: dataDir() });
    await slow.connect(sluggish.receiver.url);
    await quick.connect(prompt.url);
    const changes = BOUND + BEYOND + 50;
    await makeChanges(slow, changes);
    await until("the first posts", () => sluggish.receiver.calls.length >= POSTS_TO_TELL);

    await quick.change({ Name: "Door" });
    expect((await quick.settledEvent()).State).toBe("Delivered");
    const { count } = await client.workflow.count(`TenantId = "${slow.tenant.tenantId}"`);
    expect(count).toBeLessThanOrEqual(BOUND + BEYOND);
    expect(sluggish.receiver.calls.length).toBeLessThanOrEqual(BOUND + BEYOND);

    sluggish.release();
    await until("all of the burst", () => sluggish.receiver.calls.length === changes, 60_000);
    expect(new Set(sluggish.receiver.calls.map((call) => call.payload.EventId)).size).toBe(changes);
  }, 120_000);
});

const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

/** Answers nobody until it is released, and then everybody. */
function startSluggish() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const receiver = startReceiver(() => released.then(() => 200), { dataDir: dataDir() });
  return { receiver, release, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

/**
 * Changes that keep their workflow waiting, until another one is at once recognised as a slow receiver's.
 *
 * @returns how many posts are out beside those that have had a turn: all of them, if the machine is quick enough
 */
async function becomeKnown(api: Api, receiver: Receiver): Promise<number> {
  await makeChanges(api, POSTS_TO_TELL);
  await until("its posts to be slow", () => receiver.calls.length === POSTS_TO_TELL);
  const eventIds = receiver.calls.map(({ payload }) => payload.EventId);
  const histories = await until("each to be handed over", async () => {
    const texts = await Promise.all(eventIds.map((id) => slowHistory(api, id)));
    return texts.every((text) => text !== undefined) && texts;
  });
  return histories.filter((text) => text.includes(IN_TASK)).length;
}

/** Of the event's workflow that posts in the slow lane: its own one, or its slow receiver's. */
async function slowHistory(api: Api, eventId: string): Promise<string | undefined> {
  const { Deliveries } = await api.event(eventId);
  const workflowIds = [...new Set(Deliveries.map(({ WorkflowId }) => WorkflowId))];
  const texts = await Promise.all(workflowIds.map((id) => historyText(client, id).catch(() => "")));
  return texts.find((text) => text.includes(SLOW_TASK_QUEUE));
}

async function makeChanges(api: Api, count: number): Promise<void> {
  let made = 0;
  const lane = async () => {
    // A name of its own: what changes nothing has no event.
    while (made < count) await api.change({ Name: `Gate ${Bun.randomUUIDv7()} ${++made}` });
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}
