// Resending many deliveries of a connection.

import { describe, expect, test } from "bun:test";
import { WorkflowNotFoundError } from "@temporalio/client";
import { REDELIVERY_PROGRESS } from "../../workflows/contract.ts";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, until } from "../world/api.ts";
import { plantDeliveries, plantEvent } from "../world/planted.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { payloadsOf, rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const client = await temporal();
/** A single record, so its changes arrive in order. */
const GATE = { ExternalId: "gate" };
const HOUR_MS = 3_600_000;

describe.concurrent("a replay of all failures since a time", () => {
  test("is counted first, then sends only the failed ones, in order", async () => {
    const api = await newTenant();
    let sound = false;
    await using receiver = startReceiver(({ payload }) => (sound || isEven(payload.Data) ? 200 : 500));
    const { Id } = await api.connect(receiver.url);
    for (let index = 1; index <= 8; index++) await api.change({ ...GATE, Name: `Gate ${index}` });
    await untilAllEnded(api);
    expect((await api.events("State=Exhausted")).Items).toHaveLength(4);
    sound = true;
    const before = receiver.calls.length;

    expect(await count(api, { ConnectionId: Id })).toBe(4);
    expect(await count(api, { ConnectionId: Id, From: new Date(Date.now() + 60_000).toISOString() })).toBe(0);
    const redelivery = await api.replay({ ConnectionId: Id, Rate: 100 });
    expect(redelivery).toMatchObject({ Kind: "Replay", States: ["Exhausted"], State: "Running", Total: 4, Done: 0 });
    expect(await api.endedRedelivery(redelivery.Id)).toMatchObject({
      ...{ State: "Completed", Total: 4, Done: 4, Delivered: 4, Exhausted: 0, Reason: null },
    });
    expect(names(receiver, before)).toEqual(["Gate 1", "Gate 3", "Gate 5", "Gate 7"]);
    expect((await api.events("State=Exhausted")).Items).toEqual([]);
    expect(await count(api, { ConnectionId: Id })).toBe(0);
  });

  test("includes those that a cancelled redelivery had in progress", async () => {
    const api = await newTenant();
    let answer: (status: number) => void;
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    await using receiver = startReceiver(({ count }) => (count === 4 ? answered : count <= 6 ? 500 : 200));
    const { Id } = await api.connect(receiver.url, { TimeoutMs: 30_000 });
    for (let index = 1; index <= 3; index++) await api.change({ Name: `Gate ${index}` });
    await untilAllEnded(api);
    const cancelled = await api.replay({ ConnectionId: Id, Rate: 100 });
    await until("all to be out", () => receiver.calls.length === 12);
    await api.changeRedelivery(cancelled.Id, { State: "Cancelled" });
    await finished(client, cancelled.WorkflowId);
    answer!(500);
    await untilAllEnded(api);
    expect((await api.events("State=Exhausted")).Items).toHaveLength(3);

    expect(await count(api, { ConnectionId: Id })).toBe(3);
    const { Id: redeliveryId } = await api.replay({ ConnectionId: Id, Rate: 100 });
    expect(await api.endedRedelivery(redeliveryId)).toMatchObject({ Total: 3, Delivered: 3 });
    expect(await api.redelivery(cancelled.Id)).toMatchObject({ State: "Cancelled", Done: 3, Exhausted: 3 });
  });

  test("includes those that a drain has sent without success and not counted yet", async () => {
    const api = await newTenant();
    let answer: (status: number) => void;
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    await using receiver = startReceiver(({ payload }) => (payload.Data.Name === "First" ? 500 : answered));
    const { Id } = await api.connect(receiver.url, { State: "Paused", TimeoutMs: 30_000 });
    await api.change({ Name: "First" });
    await api.change({ Name: "Second" });
    await api.setState(Id, "Active");
    await until("the first to fail", async () => (await api.events("State=Exhausted")).Items.length === 1);
    expect(await count(api, { ConnectionId: Id })).toBe(1);
    answer!(200);
  });

  test("includes an event by the clock of a process that is ahead", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://receiver.example/");
    const ahead = await plantEvent(api, Date.now() + HOUR_MS);
    await plantDeliveries(api, ahead, Id, { state: "Exhausted" });
    expect(await count(api, { ConnectionId: Id })).toBe(1);
    expect(await count(api, { ConnectionId: Id, To: new Date().toISOString() })).toBe(0);
  });

  test("can fail again, and is counted as failed", async () => {
    const { api, id, receiver } = await failed(3);
    await using _ = receiver;
    const { Id } = await api.replay({ ConnectionId: id });
    expect(await api.endedRedelivery(Id)).toMatchObject({ State: "Completed", Done: 3, Delivered: 0, Exhausted: 3 });
    expect(receiver.calls).toHaveLength(18);
  });
});

describe.concurrent("a replay", () => {
  test("sends everything in a range of time, and nothing outside it", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    for (let index = 1; index <= 6; index++) await api.change({ ...GATE, Name: `Gate ${index}` });
    await untilAllEnded(api);
    const times = (await api.events()).Items.map(({ Timestamp }) => Timestamp).toReversed();
    const before = receiver.calls.length;
    const { Id: redeliveryId } = await api.replay({
      ...{ ConnectionId: Id, From: times[1], To: times[4], States: ["Delivered", "Exhausted", "Cancelled"] },
    });
    expect(await api.endedRedelivery(redeliveryId)).toMatchObject({ Total: 3, Done: 3, Delivered: 3 });
    expect(names(receiver, before)).toEqual(["Gate 2", "Gate 3", "Gate 4"]);
  });

  test("keeps a record's commit order, whatever the clocks of the APIs said", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    for (let index = 1; index <= 6; index++) await api.change({ ...GATE, Name: `Gate ${index}` });
    await untilAllEnded(api);
    // As from an API whose clock is an hour slow.
    const { recordId, payload } = (await payloadsOf(api.tenantId)).at(-1)!;
    const [other] = await rowsOf("deliveries", { connection_id: Id });
    const seventh = JSON.stringify(payload).replaceAll("Gate 6", "Gate 7");
    const late = await plantEvent(api, Date.now() - HOUR_MS, { record_id: recordId, sequences: [7] }, seventh);
    await plantDeliveries(api, late, Id, { record: other.record, state: "Delivered" });
    const before = receiver.calls.length;
    const { Id: redeliveryId } = await api.replay({ ConnectionId: Id, States: ["Delivered"], Rate: 100 });
    expect(await api.endedRedelivery(redeliveryId)).toMatchObject({ Total: 7, Done: 7, Delivered: 7 });
    expect(names(receiver, before)).toEqual([1, 2, 3, 4, 5, 6, 7].map((index) => `Gate ${index}`));
  });

  test("respects its rate, which can be changed meanwhile", async () => {
    const { api, id, receiver } = await delivered(40);
    await using _ = receiver;
    const { Id } = await api.replay({ ConnectionId: id, States: ["Delivered"], Rate: 4 });
    await until("some of it", () => receiver.calls.length >= 49);
    const times = receiver.calls.slice(40, 49).map(({ at }) => at.getTime());
    // Eight waits of 250 ms; the first may have begun shortly before its post.
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(1_500);
    expect((await api.changeRedelivery(Id, { Rate: 100 })).Rate).toBe(100);
    expect(await api.endedRedelivery(Id)).toMatchObject({ Total: 40, Done: 40, Delivered: 40 });
  });

  test("can be paused, resumed and cancelled; Temporal shows its progress", async () => {
    const { api, id, receiver } = await delivered(12);
    await using _ = receiver;
    const { Id, WorkflowId } = await api.replay({ ConnectionId: id, States: ["Delivered"], Rate: 4 });
    await until("some of it", () => receiver.calls.length >= 14);
    expect((await api.changeRedelivery(Id, { State: "Paused" })).State).toBe("Paused");
    const paused = await until("it to rest", async () => {
      const progress = await handleOf(WorkflowId).query<{ state: string; done: number }>(REDELIVERY_PROGRESS);
      return progress?.state === "Paused" && progress.done === receiver.calls.length - 12 && progress;
    });
    const sent = receiver.calls.length;
    expect(await detailsOf(WorkflowId)).toBe(
      `Paused, waits for a user to set it Running; ${paused.done} of 12 done: ${paused.done} delivered, 0 exhausted`,
    );

    await api.changeRedelivery(Id, { State: "Running" });
    await until("more of it", () => receiver.calls.length > sent);
    const cancelled = await api.changeRedelivery(Id, { State: "Cancelled" });
    expect(cancelled).toMatchObject({ State: "Cancelled", EndedOn: expect.any(String) });
    await finished(client, WorkflowId);
    expect(receiver.calls.length).toBeLessThan(24);
    const attributes = (await handleOf(WorkflowId).describe()).searchAttributes;
    expect(attributes).toMatchObject({ TenantId: [api.tenant.tenantId], ConnectionId: [id] });

    const refused = await api.call<{ Errors: string[] }>("PATCH", `/Redelivery/${Id}`, { State: "Running" });
    expect([refused.status, refused.body.Errors.join()]).toEqual([
      409,
      "The redelivery is Cancelled and can no longer be changed.",
    ]);
  });

  test("is cancelled by cancelling its workflow", async () => {
    const { api, id, receiver } = await delivered(10);
    await using _ = receiver;
    const { Id, WorkflowId } = await api.replay({ ConnectionId: id, States: ["Delivered"], Rate: 1 });
    await until("some of it", () => receiver.calls.length > 10);
    // Sending does not depend on the workflow that follows it.
    await until("its workflow", () => handleOf(WorkflowId).describe().catch(isNotFound));
    await handleOf(WorkflowId).cancel();
    expect((await api.endedRedelivery(Id)).State).toBe("Cancelled");
  });

  test("waits for a paused connection, and continues with it", async () => {
    const { api, id, receiver } = await delivered(4);
    await using _ = receiver;
    await api.setState(id, "Paused");
    const { Id } = await api.replay({ ConnectionId: id, States: ["Delivered"] });
    expect(await api.redelivery(Id)).toMatchObject({
      ...{ State: "Running", Reason: "waits for its connection, which is Paused", Done: 0 },
    });
    await api.setState(id, "Active");
    expect(await api.endedRedelivery(Id)).toMatchObject({ Total: 4, Delivered: 4 });
    expect(receiver.calls).toHaveLength(8);
  });

  test("without deliveries completes at once, also while its connection is paused", async () => {
    const { api, id, receiver } = await delivered(1);
    await using _ = receiver;
    await api.setState(id, "Paused");
    const { Id } = await api.replay({ ConnectionId: id });
    expect(await api.endedRedelivery(Id)).toMatchObject({ State: "Completed", Total: 0, Done: 0 });
    expect((await api.connection(id)).State).toBe("Paused");
  });

  test("counts deliveries handed to a paused connection as done; the drain sends them", async () => {
    const api = await newTenant();
    const paused = Promise.withResolvers<number>();
    await using receiver = startReceiver(({ count }) => (count === 4 ? paused.promise : 500));
    const { Id: id } = await api.connect(receiver.url, { TimeoutMs: 30_000 });
    await api.change({ Name: "Gate" });
    await untilAllEnded(api);
    const { Id } = await api.replay({ ConnectionId: id });
    await until("it to be out", () => receiver.calls.length === 4);
    await api.setState(id, "Paused");
    paused.resolve(500);
    const ended = { State: "Completed", Total: 1, Done: 1, Delivered: 0, Exhausted: 0 };
    expect(await api.endedRedelivery(Id)).toMatchObject(ended);
    expect((await api.newestEvent()).State).toBe("Held");
    await api.setState(id, "Active");
    await until("the drain to send it", async () => (await api.newestEvent()).State === "Exhausted");
    expect(await api.redelivery(Id)).toMatchObject(ended);
    expect(receiver.calls).toHaveLength(6);
  });

  test("ends with its connection", async () => {
    const { api, id, receiver } = await delivered(4);
    await using _ = receiver;
    const { Id } = await api.replay({ ConnectionId: id, States: ["Delivered"], Rate: 1 });
    await api.disconnect(id);
    expect((await api.endedRedelivery(Id)).State).toBe("Cancelled");
  });

  test("is the only one of its connection, and is in the audit log with its changes", async () => {
    const { api, id, receiver } = await delivered(3);
    await using _ = receiver;
    const wish = { ConnectionId: id, From: "2020-01-01", States: ["Delivered"], Rate: 1 };
    const answers = await Promise.all([1, 2, 3].map(() => api.call<{ Id: string }>("POST", "/Redelivery", wish)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!.body as unknown as { Errors: string[] };
    expect(refused.Errors.join()).toMatch(
      /Redelivery of the Kind Replay that has not ended\. Wait for it, or cancel it\./,
    );
    const { Id } = answers.find(({ status }) => status === 200)!.body;
    await api.changeRedelivery(Id, { State: "Paused", Rate: 3 });
    await api.changeRedelivery(Id, { State: "Paused", Rate: 3 });
    const { body } = await api.call("GET", `/AuditEvent?SubjectType=Redelivery&SubjectId=${Id}`);
    expect(body.Items).toMatchObject([
      {
        ...{ Kind: "Redelivery.Changed" },
        Details: { State: { From: "Running", To: "Paused" }, Rate: { From: 1, To: 3 } },
      },
      { Kind: "Redelivery.Created", Details: { ConnectionId: id, States: ["Delivered"], Rate: 1, Total: 3 } },
    ]);
    const listed = await api.call("GET", `/Redelivery?ConnectionId=${id}&State=Paused&Kind=Replay`);
    expect(listed.body).toMatchObject({ Items: [{ Id, State: "Paused" }], Next: null });
  });
});

async function delivered(changes: number) {
  const api = await newTenant();
  const receiver = startReceiver();
  const { Id } = await api.connect(receiver.url);
  for (let index = 1; index <= changes; index++) await api.change({ Name: `Gate ${index}` });
  await untilAllEnded(api);
  return { api, id: Id, receiver };
}

async function failed(changes: number) {
  const api = await newTenant();
  const receiver = startReceiver(500);
  const { Id } = await api.connect(receiver.url);
  for (let index = 1; index <= changes; index++) await api.change({ Name: `Gate ${index}` });
  await untilAllEnded(api);
  return { api, id: Id, receiver };
}

async function count(api: Api, wish: object): Promise<number> {
  const { status, body } = await api.call("POST", "/Redelivery", { From: "2020-01-01", ...wish, DryRun: true });
  expect({ status, fields: Object.keys(body) }).toEqual({ status: 200, fields: ["Count", "Skipped"] });
  return body.Count as number;
}

async function untilAllEnded(api: Api): Promise<void> {
  await until("every delivery to end", async () => {
    const { Items } = await api.events("Limit=200");
    return Items.every(({ State }) => State === "Delivered" || State === "Exhausted");
  });
}

function isEven(data: Record<string, unknown>): boolean {
  return Number(String(data.Name).split(" ")[1]) % 2 === 0;
}

/** Calls in the order of arrival. */
function names(receiver: Receiver, after: number): unknown[] {
  return receiver.calls.slice(after).map(({ payload }) => payload.Data.Name);
}

const handleOf = (workflowId: string) => client.workflow.getHandle(workflowId);

/** The current details of the workflow in the Temporal UI. */
async function detailsOf(workflowId: string): Promise<string> {
  const metadata = await handleOf(workflowId).query<{ currentDetails: string }>("__temporal_workflow_metadata");
  return metadata.currentDetails;
}

/** @throws any other error */
function isNotFound(error: unknown): false {
  if (error instanceof WorkflowNotFoundError) return false;
  throw error;
}
