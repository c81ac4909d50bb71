// Resending one event.

import { describe, expect, test } from "bun:test";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, type LoggedEvent, until } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const client = await temporal();
const NOBODYS = "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5";
const later = () => new Response(null, { status: 503, headers: { "retry-after": "3600" } });

describe.concurrent("a redelivered event", () => {
  test("arrives with the same EventId and bytes; the log keeps the earlier attempts, run by run", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([500, 500, 500, 500, 200]);
    await api.connect(receiver.url, { Secret: "a secret" });
    const failed = await api.settledChange({ Name: "Gate" });
    expect(failed.State).toBe("Exhausted");
    await closed(failed.WorkflowId);

    const { status, body } = await api.redeliver(failed.EventId);
    expect({ status, body }).toMatchObject({ status: 200, body: { EventId: failed.EventId, State: "Pending" } });
    const event = await settled(api, failed.EventId);
    expect(event).toMatchObject({ State: "Delivered", Deliveries: [{ AttemptCount: 5 }] });
    expect(event.Deliveries[0]!.Attempts.map((it) => [it.Number, it.Run, it.StatusCode])).toEqual([
      [1, 1, 500],
      [2, 1, 500],
      [3, 1, 500],
      [4, 2, 500],
      [5, 2, 200],
    ]);
    const [first, ...others] = receiver.calls;
    for (const call of others) {
      expect(call.bytes).toEqual(first!.bytes);
      expect(call.headers.get("x-signature")).toBe(first!.headers.get("x-signature"));
      expect(call.headers.get("webhook-id")).toBe(failed.EventId);
    }
    expect(await runs(failed.WorkflowId)).toEqual(["COMPLETED", "FAILED"]);
    // The failed run has ended, so the new one tells what it sends again.
    const { memo } = await client.workflow.getHandle(failed.WorkflowId).describe();
    expect(memo).toMatchObject({ SentAgain: `time 1, after ${failed.WorkflowId}` });
  });

  test("goes to the named connection only", async () => {
    const api = await newTenant();
    await using named = startReceiver();
    await using other = startReceiver();
    const { Id } = await api.connect(named.url);
    await api.connect(other.url);
    const { EventId, WorkflowId } = await api.settledChange({ Name: "Gate" });
    await finished(client, WorkflowId);

    expect((await api.redeliver(EventId, Id)).status).toBe(200);
    await until("the second call", () => named.calls.length === 2);
    const event = await settled(api, EventId);
    const attempts = Object.fromEntries(event.Deliveries.map((it) => [it.ConnectionId, it.AttemptCount]));
    expect(attempts).toMatchObject({ [Id]: 2 });
    expect(other.calls).toHaveLength(1);
  });

  test("gets all three attempts again, and can be exhausted again", async () => {
    const api = await newTenant();
    await using receiver = await connected(api, 500);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    expect((await api.redeliver(EventId)).status).toBe(200);
    expect(await settled(api, EventId)).toMatchObject({ State: "Exhausted", Deliveries: [{ AttemptCount: 6 }] });
    expect(receiver.calls).toHaveLength(6);
  });

  test("stays Delivered after its first arrival, whatever happens later", async () => {
    const api = await newTenant();
    await using _ = await connected(api, [200, 200, 500]);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    const why = async () => (await api.why(EventId)).Items[0]!.Reason;
    const first = await why();
    expect(first).toMatch(/^delivered at the 1st attempt, \d+ m?s after the event$/);
    await until("the second run", async () => (await api.redeliver(EventId)).status === 200);
    await settled(api, EventId);
    expect(await why()).toBe(`${first}; sent again since, and delivered at the 2nd attempt`);
    await until("the third run", async () => (await api.redeliver(EventId)).status === 200);
    await settled(api, EventId);
    expect(await why()).toBe(`exhausted: 5 attempts in 3 runs, last 500; sent again after it was ${first}`);
  });

  test("is not attempted yet until its new run begins", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.EventType === "Updated" ? "hang" : 200));
    await api.connect(receiver.url, { MaxInFlight: 1, TimeoutMs: 30_000 });
    const { Id } = await api.change({ Name: "Gate" });
    const { EventId } = await api.settledEvent();
    const why = async () => (await api.why(EventId)).Items[0]!.Reason;
    const first = await why();
    // It uses the only place.
    await api.change({ Id, Description: "Hangs" });
    await until("the post that hangs", () => receiver.calls.length === 2);
    await until("the redelivery", async () => (await api.redeliver(EventId)).status === 200);
    expect(await why()).toBe(`in progress again, not attempted yet; sent again after it was ${first}`);
  });

  test("counts its runs", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(500);
    const connection = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    await api.setState(connection.Id, "Paused");
    await until("the redelivery", async () => (await api.redeliver(EventId)).status === 200);
    const { Reason } = (await api.why(EventId)).Items[0]!;
    expect(Reason).toMatch(/^paused since \S+; before that 3 attempts, last 500$/);
  });

  test("to a held connection is rejected with 409 and the reason; the others get it", async () => {
    const api = await newTenant();
    await using gone = startReceiver(410);
    await using other = startReceiver();
    const { Id } = await api.connect(gone.url);
    await api.connect(other.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
    expect(await refusal(api.redeliver(EventId, Id))).toEqual([
      409,
      "Its connection is Held after 410 Gone, so nothing would be sent: resume it first with State Active.",
    ]);
    expect((await api.redeliver(EventId)).status).toBe(200);
    await until("the other one's second call", () => other.calls.length === 2);
    expect(gone.calls).toHaveLength(1);
  });

  test("to a held connection that the caller may not read is rejected without the reason", async () => {
    const api = await newTenant();
    await using gone = startReceiver(410);
    const { Id } = await api.connect(gone.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
    await api.call("PATCH", "/Policy", {
      Name: "No connections",
      Policy: 'forbid (principal, action == Action::"Webhooks:Read", resource is WebhookConnection);',
    });
    expect((await api.call("GET", `/WebhookConnection/${Id}`)).status).toBe(403);
    const words = "Its connection is Held, so nothing would be sent: resume it first with State Active.";
    expect(await conflict(api, EventId)).toBe(words);
    expect(await refusal(api.redeliver(EventId, Id))).toEqual([409, words]);
  });

  test("is sent again once a connection held by 410 is resumed", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([410, 200]);
    const { Id } = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
    await api.setState(Id, "Active");
    expect(await api.redeliver(EventId, Id)).toMatchObject({ status: 200, body: { State: "Pending" } });
    await until("the second call", () => receiver.calls.length === 2);
    expect(await settled(api, EventId)).toMatchObject({ State: "Delivered", Deliveries: [{ AttemptCount: 2 }] });
  });

  test("to a paused connection waits for it, like any event", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    await api.setState(Id, "Paused");
    const answer = await api.redeliver(EventId);
    expect(answer).toMatchObject({ status: 200, body: { State: "Held", Reason: "connection paused" } });
    expect(await conflict(api, EventId)).toContain("It is waiting for its connection");

    await api.setState(Id, "Active");
    await until("the second call", () => receiver.calls.length === 2);
    expect(await settled(api, EventId)).toMatchObject({ State: "Delivered", Deliveries: [{ AttemptCount: 2 }] });
  });

  test("is rejected with 409 while a delivery of it is in progress; of concurrent requests one succeeds", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([200, later()]);
    await using busy = startReceiver([200, later()]);
    const { Id } = await api.connect(receiver.url);
    await api.connect(busy.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.redeliver(EventId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    await until("the retries to wait", () => receiver.calls.length + busy.calls.length === 4);
    expect(await conflict(api, EventId)).toContain("is being delivered");
    expect((await api.redeliver(EventId, Id)).status).toBe(409);
  });

  test("is in the audit log", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    await api.redeliver(EventId, Id);
    const { body } = await api.call("GET", `/AuditEvent?SubjectType=WebhookEvent&SubjectId=${EventId}`);
    expect(body.Items).toMatchObject([
      { Kind: "WebhookEvent.Redelivered", Outcome: "Success", Details: { Deliveries: 1, ConnectionId: Id } },
    ]);
  });
});

describe.concurrent("a redelivery is rejected", () => {
  test("of a missing event: 404", async () => {
    const api = await newTenant();
    await using receiver = await connected(api);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    expect(await refusal(api.redeliver(NOBODYS))).toEqual([404, "There is no WebhookEvent with this EventId."]);
    expect(await refusal(api.redeliver("1"))).toEqual([404, "There is no WebhookEvent with this EventId."]);
    expect(await refusal(api.redeliver(EventId, NOBODYS))).toEqual([
      404,
      "The event has no delivery to the connection with this Id.",
    ]);
    expect(receiver.calls).toHaveLength(1);
  });

  test("of an event without deliveries, or of a deleted connection: 409", async () => {
    const api = await newTenant();
    await api.change({ Name: "Gate" });
    expect(await conflict(api, (await api.newestEvent()).EventId)).toContain("This event has no deliveries");
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Door" });
    await api.disconnect(Id);
    expect(await conflict(api, EventId)).toBe("Its connection is deleted.");
  });

  test("with an invalid body: 400, naming each field", async () => {
    const api = await newTenant();
    const send = (body: unknown) => refusal(api.call("POST", `/WebhookEvent/${NOBODYS}/Redeliver`, body));
    expect(await send([])).toEqual([400, "The body must be one Redeliver object."]);
    expect(await send({ ConnectionId: 7 })).toEqual([400, "ConnectionId must be a connection's Id, or empty."]);
    expect(await send({ Connection: "" })).toEqual([400, "Connection is not a field of Redeliver."]);
  });

  test("without the scopes or policies: 403, and nothing is sent", async () => {
    const admin = await newTenant();
    await using receiver = await connected(admin);
    const { EventId, WorkflowId } = await admin.settledChange({ Name: "Gate" });
    await finished(client, WorkflowId);
    await admin.call("PATCH", "/Policy", {
      Name: "Nothing twice",
      Policy: 'forbid (principal, action == Action::"Webhooks:Update", resource is WebhookEvent);',
    });
    expect(await refusal(admin.redeliver(EventId))).toEqual([
      403,
      "A policy forbids Webhooks:Update on this WebhookEvent.",
    ]);
    expect((await admin.event(EventId)).State).toBe("Delivered");
    expect(receiver.calls).toHaveLength(1);
  });
});

async function refusal(answer: Promise<{ status: number; body: unknown }>): Promise<[number, string]> {
  const { status, body } = await answer;
  return [status, (body as { Errors: string[] }).Errors.join(" ")];
}

async function conflict(api: Api, eventId: string): Promise<string> {
  const [status, words] = await refusal(api.redeliver(eventId));
  expect(status).toBe(409);
  return words;
}

async function settled(api: Api, eventId: string): Promise<LoggedEvent> {
  return until(`event ${eventId} to settle`, async () => {
    const event = await api.event(eventId);
    return (event.State === "Delivered" || event.State === "Exhausted") && event;
  });
}

async function closed(workflowId: string): Promise<void> {
  await finished(client, workflowId).catch(() => {});
}

/** The result of each run of the workflow, the newest first. */
async function runs(workflowId: string): Promise<string[]> {
  return until(`both runs of ${workflowId}`, async () => {
    const found: { status: string; start: number }[] = [];
    for await (const run of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      found.push({ status: run.status.name, start: run.startTime.getTime() });
    }
    const done = found.length === 2 && found.every(({ status }) => status !== "RUNNING");
    return done && found.toSorted((a, b) => b.start - a.start).map(({ status }) => status);
  });
}
