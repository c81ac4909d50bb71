// Undelivered events by connection and reason, and the responsible party.

import { describe, expect, test } from "bun:test";
import { generate } from "selfsigned";
import { closeOpenDelivery } from "../../server/webhooks/deliveries/store.ts";
import { blameForHeld } from "../../server/webhooks/log/dead-letters.ts";
import { type Api, type DeadLetters, ok, until } from "../world/api.ts";
import { connected, type Reply, startReceiver } from "../world/receiver.ts";
import { db, newTenant, savePolicy } from "../world/tenant.ts";

const HOOK = "https://hooks.example/";

test("deliveries of a Held connection have the reason of the hold", () => {
  const blame = (reason: string) => blameForHeld("Held", reason, false).blame;
  expect(blame("410 Gone")).toBe("Configuration");
  expect(blame("10 exhausted deliveries in a row, the last with 404")).toBe("Configuration");
  expect(blame("10 exhausted deliveries in a row, the last with tls")).toBe("Configuration");
  expect(blame("10 exhausted deliveries in a row, the last with 503")).toBe("Receiver");
  expect(blame("10 exhausted deliveries in a row, the last with lost")).toBe("Ours");
});

describe.concurrent("dead letters", () => {
  test.each([
    ["503, which is the receiver's fault", 503, "Receiver", "503"],
    ["400, which is the receiver's fault", 400, "Receiver", "400"],
    ["a timeout, which is the receiver's fault", "hang", "Receiver", "timeout"],
    ["401, which is the configuration's fault", 401, "Configuration", "401"],
    ["404, which is the configuration's fault", 404, "Configuration", "404"],
    ["413, which is the configuration's fault", 413, "Configuration", "413"],
    ["a redirect, which is the configuration's fault", 302, "Configuration", "302"],
  ] as [string, Reply, string, string][])("have %s", async (_, reply, blame, reason) => {
    const api = await newTenant();
    await using receiver = startReceiver(reply);
    const { Id } = await api.connect(receiver.url, { Name: "hooks", TimeoutMs: reply === "hang" ? 500 : null });
    const { Timestamp } = await api.settledChange({ Name: "Gate" });
    expect((await api.deadLetters()).Items).toEqual([
      {
        ...{ ConnectionId: Id, ConnectionName: "hooks", Count: 1, ...none, [blame]: 1 },
        Reasons: [{ Blame: blame, Reason: reason, State: "Exhausted", Count: 1, Oldest: Timestamp, Newest: Timestamp }],
      },
    ]);
  });

  test("include those without a reachable or authenticated receiver", async () => {
    const api = await newTenant();
    const gone = startReceiver();
    const refusing = gone.url;
    await gone[Symbol.asyncDispose]();
    const own = await generate([{ name: "commonName", value: "localhost" }]);
    await using untrusted = startReceiver(200, { tls: { cert: own.cert, key: own.private } });
    const ids = await Promise.all(
      ["https://no-such-host.invalid/", untrusted.url, refusing].map(async (url) => (await api.connect(url)).Id),
    );
    await api.settledChange({ Name: "Gate" });
    const { Items } = await api.deadLetters();
    const found = ids.map((id) => Items.find((item) => item.ConnectionId === id)!.Reasons[0]!);
    expect(found.map(({ Blame, Reason }) => [Blame, Reason])).toEqual([
      ["Configuration", "dns"],
      ["Configuration", "tls"],
      ["Receiver", "refused"],
    ]);
  });

  test("include those waiting for a connection that is paused or held by 410", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(410);
    const paused = await api.connect(HOOK, { State: "Paused" });
    const held = await api.connect(receiver.url);
    await api.settledChange({ Name: "Gate" });
    await api.settledChange({ Name: "Next" });
    const { Items } = await api.deadLetters();
    expect(reasonsOf(Items, paused.Id)).toEqual([["Configuration", "paused", "Held", 2]]);
    expect(reasonsOf(Items, held.Id)).toEqual([
      ["Configuration", "410", "Exhausted", 1],
      ["Configuration", "410 Gone", "Held", 1],
    ]);
    expect(Items.find((item) => item.ConnectionId === held.Id)).toMatchObject({ Count: 2, Configuration: 2 });
    expect(reasonsOf((await api.deadLetters("State=Held")).Items, held.Id)).toHaveLength(1);
    expect((await api.deadLetters(`ConnectionId=${paused.Id}`)).Items).toHaveLength(1);
    expect((await api.deadLetters(`ConnectionId=${paused.Id}&State=Exhausted`)).Items).toEqual([]);
  });

  test("include those lost here, whatever an earlier attempt returned", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(new Response(null, { status: 503, headers: { "retry-after": "3600" } }));
    const { Id } = await api.connect(receiver.url);
    await api.change({ Name: "Gate" });
    await until("the retry to wait", async () => (await api.events("State=Retrying")).Items.length === 1);
    const { EventId, Deliveries } = await api.newestEvent();
    await closeOpenDelivery(db(), api.tenant.tenantId, EventId, Deliveries[0]!.Id, "Exhausted");
    const { Items } = await api.deadLetters();
    expect(reasonsOf(Items, Id)).toEqual([["Ours", "lost", "Exhausted", 1]]);
    expect(Items).toMatchObject([{ Count: 1, ...none, Ours: 1 }]);
  });

  test("exclude delivered ones and pings", async () => {
    const api = await newTenant();
    let status = 500;
    await using receiver = startReceiver(() => status);
    const { Id } = await api.connect(receiver.url);
    await api.settled(await api.ping(Id));
    expect((await api.deadLetters()).Items).toEqual([]);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    expect(reasonsOf((await api.deadLetters()).Items, Id)).toEqual([["Receiver", "500", "Exhausted", 1]]);
    status = 200;
    await api.call("POST", `/WebhookEvent/${EventId}/Redeliver`, {});
    await until("the delivery", async () => (await api.event(EventId)).State === "Delivered");
    expect((await api.deadLetters()).Items).toEqual([]);
  });

  test("are counted by reason, the most frequent first, and filtered by event time", async () => {
    const api = await newTenant();
    let status = 503;
    await using _ = await connected(api, () => status);
    const times: string[] = [];
    for (const answer of [404, 503, 503]) {
      status = answer;
      times.push(await exhausted(api));
    }
    const { Items } = await api.deadLetters();
    expect(Items).toMatchObject([{ Count: 3, Receiver: 2, Configuration: 1, Ours: 0 }]);
    expect(Items[0]!.Reasons).toMatchObject([
      { Reason: "503", Count: 2, Oldest: times[1], Newest: times[2] },
      { Reason: "404", Count: 1, Oldest: times[0], Newest: times[0] },
    ]);
    const count = async (filter: string) => (await api.deadLetters(filter)).Items[0]?.Count ?? 0;
    const after = (time: string) => new Date(Date.parse(time) + 1).toISOString();
    expect(await count(`From=${times[1]}`)).toBe(2);
    expect(await count(`From=${after(times[1]!)}`)).toBe(1);
    expect(await count(`To=${times[1]}`)).toBe(1);
    expect(await count(`To=${after(times[1]!)}`)).toBe(2);
    expect(await count(`From=${times[1]}&To=${times[2]}`)).toBe(1);
  });

  test("are listed by connection in pages, without those that a policy hides", async () => {
    const caller = await newTenant();
    const fields = { URL: HOOK, Entities: ["Application"], Events: ["Created"], State: "Paused" };
    for (const Name of ["one", "two", "three"]) await caller.made("WebhookConnection", { ...fields, Name });
    await caller.made("Application", { Name: "Gate" });
    const names = (items: DeadLetters[]) => items.map((item) => item.ConnectionName);
    const read = async (filter: string) => ok(caller.get(`/WebhookEvent/DeadLetters?${filter}`));
    expect(names((await read("")).Items)).toEqual(["three", "two", "one"]);
    const first = await read("Limit=2");
    const second = await read(`Limit=2&Cursor=${first.Next}`);
    expect([names(first.Items), names(second.Items), second.Next]).toEqual([["three", "two"], ["one"], null]);
    await savePolicy(
      caller,
      "hide",
      'forbid (principal, action == Action::"Webhooks:Read", resource is WebhookConnection) when { resource.Name == "two" };',
    );
    expect(names((await read("")).Items)).toEqual(["three", "one"]);
    const weak = await caller.withScope("Webhooks:Update");
    expect((await weak.get("/WebhookEvent/DeadLetters")).status).toBe(403);
    const stranger = await newTenant();
    expect((await ok(stranger.get("/WebhookEvent/DeadLetters"))).Items).toEqual([]);
  });
});

const none = { Receiver: 0, Configuration: 0, Ours: 0 };

function reasonsOf(items: DeadLetters[], connectionId: string) {
  const found = items.find((item) => item.ConnectionId === connectionId);
  return (found?.Reasons ?? []).map(({ Blame, Reason, State, Count }) => [Blame, Reason, State, Count] as const);
}

/** @returns the event's time */
async function exhausted(api: Api): Promise<string> {
  await api.change({ Name: `Gate ${crypto.randomUUID()}` });
  return (await api.settledEvent()).Timestamp;
}
