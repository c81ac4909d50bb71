// After an outage all deliveries were sent again, and the failures stay visible: in figures, the log and the
// redelivery.

import { describe, expect, test } from "bun:test";
import { API, type Api, expectError, unique, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { expire } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

interface Outcome {
  State: string;
  Reason: string | null;
  On: string;
}
interface Resent {
  EventId: string;
  Before: Outcome;
  After: Outcome;
}
type Sums = Record<"Delivered" | "Exhausted" | "Held" | "FailedAttempts", number>;

async function figuresOf(api: Api, id: string): Promise<Sums> {
  const { body } = await api.get(`/WebhookConnection/${id}/Statistics`);
  const sum = (name: keyof Sums) => body.Slices.reduce((all: number, slice: Sums) => all + slice[name], 0);
  return {
    Delivered: sum("Delivered"),
    Exhausted: sum("Exhausted"),
    Held: sum("Held"),
    FailedAttempts: sum("FailedAttempts"),
  };
}

const idsOf = async (api: Api, filter: string): Promise<string[]> =>
  (await api.events(filter)).Items.map(({ EventId }) => EventId);
const deliveriesOf = async (api: Api, id: string) =>
  (await api.get(`/Redelivery/${id}/Deliveries`)).body.Items as Resent[];

async function changes(api: Api, count: number): Promise<string[]> {
  for (let number = 1; number <= count; number++) await api.change({ Name: unique("gate") });
  return idsOf(api, "EventRecord=Application");
}

const isEnded = (api: Api, count: number, filter: string) =>
  until(`${count} with ${filter}`, async () => (await idsOf(api, filter)).length === count);

describe.concurrent("failures remain visible", () => {
  test("in the log of an hour's outcomes, which match its bar, whatever the events' times", async () => {
    const api = await newTenant();
    let isDown = true;
    await using receiver = startReceiver(() => (isDown ? 503 : 200));
    const { Id } = await api.connect(receiver.url);
    const [event] = await changes(api, 1);
    await isEnded(api, 1, "State=Exhausted");
    await expire("deliveries", { connection_id: Id }, "changed_on", "5 hours");
    isDown = false;
    await api.redeliver(event!);
    await isEnded(api, 1, "State=Delivered");

    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const between = (from: number, to: number) => `OutcomeFrom=${at(from)}&OutcomeTo=${at(to)}`;
    for (const filter of [between(-6, -4), between(-1, 1), `${between(-6, -4)}&Was=Exhausted&ConnectionId=${Id}`]) {
      expect({ filter, found: await idsOf(api, filter) }).toEqual({ filter, found: [event!] });
    }
    for (const filter of [between(-4, -1), `${between(-6, -4)}&Was=Delivered`, `${between(-1, 1)}&Was=Exhausted`]) {
      expect({ filter, found: await idsOf(api, filter) }).toEqual({ filter, found: [] });
    }
  });

  test("after a redelivery of all, which lists each delivery before and after, also as files", async () => {
    const api = await newTenant();
    let isDown = true;
    await using receiver = startReceiver(() => (isDown ? 503 : 200));
    const { Id } = await api.connect(receiver.url);
    const events = await changes(api, 3);
    await isEnded(api, 3, "State=Exhausted");
    isDown = false;
    const redelivery = await api.replay({ ConnectionId: Id });
    await api.endedRedelivery(redelivery.Id);
    const [later] = await changes(api, 1);
    await isEnded(api, 4, "State=Delivered");

    expect(await figuresOf(api, Id)).toEqual({ Delivered: 4, Exhausted: 3, Held: 0, FailedAttempts: 9 });
    for (const filter of ["Reason=503", "Was=Exhausted", "SentAgain=true", "Was=Retrying"]) {
      expect(await idsOf(api, filter)).toEqual(events);
    }
    expect(await idsOf(api, "SentAgain=false")).toEqual([later!]);
    for (const filter of ["State=Exhausted", "State=Delivered&Reason=503", "Was=Held", "Reason=500"]) {
      expect(await idsOf(api, filter)).toEqual([]);
    }
    const listed = await deliveriesOf(api, redelivery.Id);
    expect(listed.map(({ EventId }) => EventId).toSorted()).toEqual(events.toSorted());
    for (const { Before, After } of listed) {
      expect(Before).toMatchObject({ State: "Exhausted", Reason: "503" });
      expect(After).toMatchObject({ State: "Delivered", Reason: null });
      expect(Date.parse(Before.On)).toBeLessThan(Date.parse(After.On));
    }
    const first = (await api.get(`/Redelivery/${redelivery.Id}/Deliveries?Limit=2`)).body;
    const rest = (await api.get(`/Redelivery/${redelivery.Id}/Deliveries?Limit=2&Cursor=${first.Next}`)).body;
    expect([...first.Items, ...rest.Items]).toEqual(listed);
    const path = `/Redelivery/${redelivery.Id}/Deliveries/Export`;
    const lines = (await (await fetchAs(api, `${path}?Format=NDJSON`)).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(listed);
    const csv = await (await fetchAs(api, path)).text();
    expect(csv.split("\r\n")[0]).toContain('"BeforeState","BeforeReason","BeforeOn","AfterState","AfterReason"');
    expect(csv.match(/"Exhausted","503","[^"]+","Delivered","","/g)).toHaveLength(3);
    expectError(await api.get(`${path}?Limit=3`), 400, "Bad Input", /no pages/);
  });

  test("after a failed redelivery and a later success: each redelivery keeps its own result", async () => {
    const api = await newTenant();
    let isDown = true;
    await using receiver = startReceiver(() => (isDown ? 500 : 200));
    const { Id } = await api.connect(receiver.url);
    const [event] = await changes(api, 1);
    await isEnded(api, 1, "State=Exhausted");
    const inVain = await api.replay({ ConnectionId: Id });
    await api.endedRedelivery(inVain.Id);
    isDown = false;
    await api.call("POST", `/WebhookEvent/${event}/Redeliver`, {});
    await isEnded(api, 1, "State=Delivered");
    expect((await deliveriesOf(api, inVain.Id)).map(({ Before, After }) => [Before.State, After.State])).toEqual([
      ["Exhausted", "Exhausted"],
    ]);
    expect(await figuresOf(api, Id)).toEqual({ Delivered: 1, Exhausted: 2, Held: 0, FailedAttempts: 6 });
  });

  test("after a retry succeeded", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([503, 200]);
    const { Id } = await api.connect(receiver.url);
    const events = await changes(api, 1);
    await isEnded(api, 1, "State=Delivered");
    expect(await figuresOf(api, Id)).toEqual({ Delivered: 1, Exhausted: 0, Held: 0, FailedAttempts: 1 });
    expect(await idsOf(api, "Reason=503")).toEqual(events);
    expect(await idsOf(api, "Was=Retrying")).toEqual(events);
    expect(await idsOf(api, "SentAgain=true")).toEqual([]);
  });

  test("after a hold was drained, and the Drain lists its deliveries", async () => {
    const api = await newTenant();
    let isDown = true;
    await using receiver = startReceiver(() => (isDown ? 503 : 200));
    const { Id } = await api.connect(receiver.url, { HoldAfter: 1 });
    const [exhausted] = await changes(api, 1);
    await until("the hold", async () => (await api.connection(Id)).State === "Held");
    expect(await api.connection(Id)).toMatchObject({ HoldAfter: 1, HeldReason: "1 exhausted delivery, with 503" });
    await changes(api, 2);
    await isEnded(api, 2, "State=Held");
    expect((await api.get(`/WebhookConnection/${Id}/Status`)).body).toMatchObject({
      ...{ Held: 2, Exhausted: 1 },
      ExhaustedSince: (await api.event(exhausted!)).Timestamp,
    });
    isDown = false;
    await api.setState(Id, "Active");
    await isEnded(api, 2, "State=Delivered");
    expect(await figuresOf(api, Id)).toMatchObject({ Delivered: 2, Exhausted: 1, Held: 2 });
    expect(await idsOf(api, "Was=Held")).toHaveLength(2);
    const { body } = await api.get("/Redelivery?Kind=Drain");
    expect((await deliveriesOf(api, body.Items[0].Id)).map(({ Before, After }) => [Before.State, After.State])).toEqual(
      [
        ["Held", "Delivered"],
        ["Held", "Delivered"],
      ],
    );
  });

  test("for changes only, not for failed pings or tests", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(503);
    const { Id } = await api.connect(receiver.url);
    await api.settled(await api.ping(Id));
    const { body } = await api.call<{ EventId: string }>("POST", `/WebhookConnection/${Id}/Test`, {
      ...{ EventRecord: "Application", EventType: "Created" },
    });
    expect((await api.settled(body.EventId)).State).toBe("Exhausted");
    expect(await figuresOf(api, Id)).toEqual({ Delivered: 0, Exhausted: 0, Held: 0, FailedAttempts: 0 });
    const { body: statistics } = await api.get(`/WebhookConnection/${Id}/Statistics`);
    expect(statistics.Slices.filter(({ P50Ms }: { P50Ms: number | null }) => P50Ms !== null)).toEqual([]);
    expect((await api.get(`/WebhookConnection/${Id}/Status`)).body).toMatchObject({ Exhausted: 0, OldestOn: null });
    expect((await api.get("/WebhookEvent/DeadLetters")).body.Items).toEqual([]);
  });
});

test("a redelivery's deliveries are hidden like their events, and another tenant's are unknown", async () => {
  const api = await newTenant();
  await using receiver = startReceiver([503, 503, 503, 200]);
  const { Id } = await api.connect(receiver.url);
  const [second, first] = await changes(api, 2);
  await isEnded(api, 2, "State=Exhausted");
  const { Id: id } = await api.replay({ ConnectionId: Id });
  await api.endedRedelivery(id);
  const Policy = `forbid (principal, action, resource == WebhookEvent::"${second}");`;
  expect(await api.patch("/Policy", { Name: "One event", Policy })).toMatchObject({ status: 200 });
  expect((await deliveriesOf(api, id)).map(({ EventId }) => EventId)).toEqual([first!]);
  const lines = (await (await fetchAs(api, `/Redelivery/${id}/Deliveries/Export?Format=NDJSON`)).text()).trim();
  expect(JSON.parse(lines).EventId).toBe(first);
  const stranger = await newTenant();
  for (const path of [`/Redelivery/${id}/Deliveries`, `/Redelivery/${id}/Deliveries/Export`]) {
    expect((await stranger.get(path)).status).toBe(404);
  }
});

const fetchAs = (api: Api, path: string) =>
  fetch(`${api.url}${API}${path}`, { headers: { authorization: api.authorization } });
