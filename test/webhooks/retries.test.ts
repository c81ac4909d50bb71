import { describe, expect, test } from "bun:test";
import { WorkflowFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { optionalTsToMs } from "@temporalio/common/lib/time";
import { finished, temporal } from "../support/temporal.ts";
import type { LoggedEvent } from "../world/api.ts";
import { until } from "../world/api.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

/** Timers may fire a little early, clocks of two processes differ a little. */
const SLACK_MS = 20;
/** Waits differ by up to a tenth, and the last is the longest (docs/webhooks.md "Retries"). */
const [FIRST_MS, SECOND_MS] = [180, 360];

const client = await temporal();

describe.concurrent("a receiver that fails", () => {
  test("once gets the same bytes and EventId again, with a new time and signature", async () => {
    const { event, receiver } = await oneChange([503, 200], { Secret: "s3cret" });
    expect(statuses(event)).toEqual([503, 200]);
    expect(event.State).toBe("Delivered");
    const [first, second] = receiver.calls;
    expect(second!.bytes).toEqual(first!.bytes);
    expect(second!.headers.get("x-signature")).toBe(first!.headers.get("x-signature"));
    expect(second!.headers.get("webhook-id")).toBe(event.EventId);
    const seconds = Number(second!.headers.get("webhook-timestamp"));
    expect(seconds).toBeGreaterThanOrEqual(Math.floor(first!.at.getTime() / 1000));
    expect(seconds).toBeLessThanOrEqual(second!.at.getTime() / 1000);
  });

  test("twice is delivered at the third attempt, after growing intervals", async () => {
    const { event, receiver } = await oneChange([500, 500, 200]);
    expect(statuses(event)).toEqual([500, 500, 200]);
    expect(event.State).toBe("Delivered");
    const [first, second] = gaps(receiver);
    expect(first).toBeGreaterThanOrEqual(FIRST_MS - SLACK_MS);
    expect(second).toBeGreaterThanOrEqual(SECOND_MS - SLACK_MS);
    expect(await deliveryState(event.WorkflowId)).toEqual(["Delivered"]);
  });

  test("always is exhausted after three attempts, in the log and in Temporal", async () => {
    const { api, event, receiver } = await oneChange(500);
    expect(receiver.calls).toHaveLength(3);
    expect(event.State).toBe("Exhausted");
    expect(event.Deliveries[0]!.Attempts.map((attempt) => attempt.Number)).toEqual([1, 2, 3]);
    expect(await workflowFailure(event.WorkflowId)).toMatchObject({
      type: "Exhausted",
      message: "1 of 1 deliveries exhausted: localhost answered 500",
    });
    expect(await deliveryState(event.WorkflowId)).toEqual(["Exhausted"]);
    const query = `TenantId = "${api.tenant.tenantId}" AND DeliveryState = "Exhausted" AND ExecutionStatus = "Failed"`;
    const [found] = await until("the failed workflow to be listed", () => listed(query));
    expect(found).toBe(event.WorkflowId);
  });

  test("leaves every attempt in the workflow's history, with its number and reason", async () => {
    const { event } = await oneChange([500, 503, 200]);
    const workflow = client.workflow.getHandle(event.WorkflowId);
    // The log has the last attempt shortly before the history.
    await workflow.result();
    const history = await workflow.fetchHistory();
    const kinds = history.events!.map((item) =>
      item.markerRecordedEventAttributes ? "attempt" : item.timerStartedEventAttributes ? "wait" : undefined,
    );
    expect(kinds.filter(Boolean)).toEqual(["attempt", "wait", "attempt", "wait", "attempt"]);
    const waits = history.events!.flatMap((item) => item.timerStartedEventAttributes?.startToFireTimeout ?? []);
    const [first, second] = waits.map((wait) => optionalTsToMs(wait)!);
    expect(first).toBeWithin(FIRST_MS, 221);
    expect(second).toBeWithin(SECOND_MS, 401);
    const reasons = history.events!.flatMap((item) => item.markerRecordedEventAttributes?.failure?.message ?? []);
    expect(reasons).toEqual(["localhost answered 500", "localhost answered 503"]);
  });

  test("does not affect another receiver's delivery", async () => {
    const api = await newTenant();
    await using failing = startReceiver(500);
    await using hanging = startReceiver("hang");
    await using sound = startReceiver();
    await Promise.all([failing, hanging, sound].map((receiver) => api.connect(receiver.url)));
    const event = await api.settledChange({ Name: "Gate" });
    expect(sound.calls).toHaveLength(1);
    expect(sound.calls[0]!.at.getTime()).toBeLessThan(failing.calls.at(-1)!.at.getTime());
    expect(event.Deliveries.map((delivery) => delivery.State).toSorted()).toEqual([
      "Delivered",
      "Exhausted",
      "Exhausted",
    ]);
    expect(event.State).toBe("Exhausted");
    const messages = await Promise.all(
      [...new Set(event.Deliveries.map(({ WorkflowId }) => WorkflowId))].map(
        async (id) => (await workflowFailure(id)).message,
      ),
    );
    expect(messages.join()).toContain("localhost answered 500");
    expect(messages.join()).toContain("localhost: timeout");
  });

  test("can set the next attempt by Retry-After in seconds", async () => {
    const { event, receiver } = await oneChange([busy("1"), 200]);
    expect(event.State).toBe("Delivered");
    expect(gaps(receiver)[0]).toBeGreaterThanOrEqual(1_000 - SLACK_MS);
  });

  test("can set the next attempt by Retry-After as a date", async () => {
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000);
    const { event, receiver } = await oneChange([busy(at.toUTCString()), 200]);
    expect(event.State).toBe("Delivered");
    expect(receiver.calls[1]!.at.getTime()).toBeGreaterThanOrEqual(at.getTime() - SLACK_MS);
  });

  test("is not retried sooner than without Retry-After", async () => {
    const { event, receiver } = await oneChange([busy("0"), busy("0"), 200]);
    expect(event.State).toBe("Delivered");
    const [first, second] = gaps(receiver);
    expect(first).toBeGreaterThanOrEqual(FIRST_MS - SLACK_MS);
    expect(second).toBeGreaterThanOrEqual(SECOND_MS - SLACK_MS);
  });

  test("is retried as usual if its Retry-After is invalid", async () => {
    for (const nonsense of ["soon", "soon 2999", "-1", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
      const { event, receiver } = await oneChange([busy(nonsense), 200]);
      expect(event.State).toBe("Delivered");
      expect(gaps(receiver)[0]).toBeGreaterThanOrEqual(FIRST_MS - SLACK_MS);
    }
  });
});

describe.concurrent("a receiver that answers 410 Gone", () => {
  test("gets no more: the delivery is Exhausted, the connection Held, the next event's delivery Held", async () => {
    const { api, event, receiver } = await oneChange(410);
    expect(event.State).toBe("Exhausted");
    expect(statuses(event)).toEqual([410]);
    expect(await workflowFailure(event.WorkflowId)).toMatchObject({ type: "Exhausted" });
    const [delivery] = event.Deliveries;
    expect((await api.connection(delivery!.ConnectionId)).State).toBe("Held");

    const next = await api.settledChange({ Name: "Next" });
    expect(next.EventId).not.toBe(event.EventId);
    expect(next).toMatchObject({ State: "Held", Deliveries: [{ State: "Held", AttemptCount: 0, Attempts: [] }] });
    await finished(client, next.WorkflowId);
    expect(receiver.calls).toHaveLength(1);
  });

  test("gets events again once the connection is set Active", async () => {
    let gone = true;
    const api = await newTenant();
    await using receiver = startReceiver(() => (gone ? 410 : 200));
    const connection = await api.connect(receiver.url);
    await api.settledChange({ Name: "Gate" });
    gone = false;
    await api.setState(connection.Id, "Active");
    await api.change({ Name: "Next" });
    expect((await api.settledEvent()).State).toBe("Delivered");
  });
});

describe.concurrent("a connection", () => {
  test("that does not exist is explained: the event says why nothing was sent, and its workflow completes", async () => {
    const api = await newTenant();
    await api.change({ Name: "Gate" });
    const event = await api.newestEvent();
    expect(event).toMatchObject({ State: null, Reason: "no connection for Application Created", Deliveries: [] });
    const handle = client.workflow.getHandle(event.WorkflowId);
    await finished(client, event.WorkflowId);
    expect(await (await handle.describe()).staticSummary()).toBe(
      "Application Gate Created: no connection for Application Created",
    );
  });

  test("of an array's event is logged with the count of records, also in the workflow", async () => {
    const api = await newTenant();
    const { body } = await api.call<{ Id: string }[]>("PATCH", "/Application", [{ Name: "a" }, { Name: "b" }]);
    const event = await api.newestEvent();
    expect(event).toMatchObject({ EventRecord: "Application", RecordId: null, RecordCount: 2 });
    expect((await api.events()).Items[0]).toMatchObject({ RecordId: null, RecordCount: 2 });
    await finished(client, event.WorkflowId);
    const summary = await (await client.workflow.getHandle(event.WorkflowId).describe()).staticSummary();
    expect(summary).toStartWith(`Application ${body[0]!.Id} and 1 more Created: `);
  });

  test("is named in the Temporal UI beside the record, except persons; the event in Settings is linked", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([503, 200]);
    const entities = { Entities: ["Application", "User"] };
    await api.connect(receiver.url, { ...entities, Name: "billing" });
    const { Id } = await api.connect(receiver.url, entities);
    const described = async ({ WorkflowId }: LoggedEvent) => {
      await finished(client, WorkflowId);
      return client.workflow.getHandle(WorkflowId).describe();
    };
    const event = await api.settledChange({ Name: "Payroll" });
    const workflow = await described(event);
    expect(["billing", Id].map((name) => `Application Payroll Created → ${name}`)).toContainEqual(
      expect.stringMatching(new RegExp(`^${(await workflow.staticSummary())!.split(", ")[0]}$`)),
    );
    expect(await workflow.staticSummary()).toContain(Id);
    expect(await workflow.staticDetails()).toEndWith(
      `/settings/activity/${event.EventId}). 3 attempts, with about 0.2 s and 0.4 s between them.`,
    );
    const { events } = await client.workflow.getHandle(event.WorkflowId).fetchHistory();
    const waits = events!.flatMap(({ timerStartedEventAttributes, userMetadata }) =>
      timerStartedEventAttributes ? [new TextDecoder().decode(userMetadata?.summary?.data ?? undefined)] : [],
    );
    expect(waits).toHaveLength(1);
    expect(waits[0]).toMatch(/^"until the next post to (billing|[0-9a-f-]{36})"$/);

    const person = await api.call<{ Id: string }>("PATCH", "/User", { Name: "Zoe Private", Username: "zoe" });
    const zoe = await described(await api.settledEvent());
    expect(await zoe.staticSummary()).toStartWith(`User ${person.body.Id} Created → `);

    // The longest names with the widest letters, which exceed Temporal's limit.
    await api.connect(receiver.url, { ...entities, Name: "🔔".repeat(40) });
    await api.connect(receiver.url, { ...entities, Name: "🔕".repeat(40) });
    await api.change({ Name: "🚪".repeat(60) });
    const long = await described(await api.settledEvent());
    expect(await long.staticSummary()).toStartWith(`Application ${"🚪".repeat(40)} Created → `);
  });
});

type Fields = Parameters<Awaited<ReturnType<typeof newTenant>>["connect"]>[1];

async function oneChange(replies: Parameters<typeof startReceiver>[0], fields: Fields = {}) {
  const api = await newTenant();
  await using receiver = startReceiver(replies);
  await api.connect(receiver.url, fields);
  await api.change({ Name: "Gate" });
  return { api, receiver, event: await api.settledEvent() };
}

const busy = (retryAfter: string) => new Response(null, { status: 503, headers: { "retry-after": retryAfter } });

const statuses = (event: LoggedEvent) => event.Deliveries[0]!.Attempts.map((attempt) => attempt.StatusCode);

function gaps(receiver: Receiver): number[] {
  const times = receiver.calls.map((call) => call.at.getTime());
  return times.slice(1).map((time, index) => time - times[index]!);
}

async function workflowFailure(workflowId: string): Promise<ApplicationFailure> {
  const failure = await client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error) => error);
  expect(failure).toBeInstanceOf(WorkflowFailedError);
  expect(failure.cause).toBeInstanceOf(ApplicationFailure);
  return failure.cause;
}

/** After the workflow: it sets the attribute before it closes. */
async function deliveryState(workflowId: string): Promise<unknown> {
  const handle = client.workflow.getHandle(workflowId);
  await handle.result().catch(() => {});
  return (await handle.describe()).searchAttributes.DeliveryState;
}

async function listed(query: string): Promise<string[] | undefined> {
  const found: string[] = [];
  for await (const workflow of client.workflow.list({ query })) found.push(workflow.workflowId);
  return found.length > 0 ? found : undefined;
}
