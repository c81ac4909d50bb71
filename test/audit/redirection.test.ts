// Stored entries of the audit log are sent only to an address that a reader of the log has chosen.

import { describe, expect, test } from "bun:test";
import type { ConnectionInput } from "../../server/webhooks/connection.ts";
import { API, type Api, type ConnectionFields, expectError, ok, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { type Receiver, type Reply, startReceiver } from "../world/receiver.ts";
import { newMember, newTenant, request, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const SAYS = /^Only callers who may read every AuditEvent, with Settings:Read, may choose who receives them\./;
const FIRST = { Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", ApiKey: "the-first-key" };
const HEADERS = { "X-Account": "ours" };
/** A change of the origin must repeat these. */
const ANEW = { Secret: null, ApiKey: "own-key", Headers: {} };

const at = ({ url }: Receiver, path: string) => new URL(path, url).href;
const audited = (api: Api) => ok(api.patch("/Role", { Name: crypto.randomUUID() }));
const entriesAt = ({ calls }: Receiver) => calls.filter(({ payload }) => payload.EventRecord === "AuditEvent");
const eventsOf = (api: Api, filter = "") => api.events(`EventRecord=AuditEvent&Limit=200&${filter}`);

/** A caller who may do everything with webhooks, and cannot read the audit log. */
async function newOperator(admin: Api): Promise<Api> {
  const operator = await newMember(admin);
  await savePolicy(
    admin,
    "Webhooks",
    `permit (principal, action, resource)
    when { resource is WebhookConnection || resource is WebhookEvent || resource is Redelivery };`,
  );
  return operator;
}

const post = ({ token }: Api, path: string, body: unknown) =>
  request("POST", API + path, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** A collector, and a caller without the audit log beside it, who has a receiver. */
async function arranged(reply: Reply | Reply[] = 200) {
  const admin = await newTenant();
  const operator = await newOperator(admin);
  const [collector, own] = [startReceiver(reply), startReceiver(200)];
  const connection = await admin.connect(collector.url, {
    Name: "Collector",
    Entities: ["AuditEvent", "Department"],
    Events: ["Created"],
    Headers: HEADERS,
    ...FIRST,
  });
  return {
    admin,
    operator,
    collector,
    own,
    connection,
    async [Symbol.asyncDispose]() {
      await Promise.all([collector[Symbol.asyncDispose](), own[Symbol.asyncDispose]()]);
    },
  };
}

/** Ways of sending the calls elsewhere, or to another account of the same receiver. */
const redirections = (collector: Receiver, own: Receiver): Record<string, Partial<ConnectionFields>> => ({
  "another path": { URL: at(collector, "/other") },
  "another query": { URL: `${collector.url}?account=mine` },
  "an ApiKey in the query": { URL: `${collector.url}?ApiKey=own-key`, ApiKey: "own-key" },
  "a fragment": { URL: `${collector.url}#mine` },
  "another port": { URL: own.url, ...ANEW },
  "another host": { URL: at(own, "/hook").replace("localhost", "127.0.0.1"), ...ANEW },
  "another ApiKey": { ApiKey: "own-key" },
  "another header": { Headers: { "X-Account": "mine" } },
  "one more header": { Headers: { "X-Account": null as unknown as string, Authorization: "Bearer mine" } },
  "no header": { Headers: {} },
});

/** A change of each field by a caller who may change the connection, but not read the log. */
const OTHERS: { [Field in keyof ConnectionInput]-?: Partial<ConnectionFields>[] } = {
  Id: [],
  Name: [{ Name: "Ours" }],
  Description: [{ Description: "The same receiver" } as object],
  Kind: [],
  URL: [],
  Entities: [{ Entities: ["Department"] }],
  Events: [{ Events: ["Created", "Updated"] }],
  Fields: [{ Fields: ["Id", "Kind", "Name"] }],
  ChangedFields: [{ ChangedFields: true }],
  Previous: [{ Previous: true }],
  Compression: [{ Compression: "Gzip" }],
  SignByKey: [{ SignByKey: true }],
  Filter: [{ Filter: 'context.event == "Created"' }],
  Secret: [{ Secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ApiKey: [{ ApiKey: FIRST.ApiKey }],
  Headers: [{ Headers: { "X-Account": null as unknown as string } }],
  TimeoutMs: [{ TimeoutMs: 9_000 }],
  Order: [{ Order: "Record" }],
  RatePerSecond: [{ RatePerSecond: 100 }],
  MaxInFlight: [{ MaxInFlight: 5 }],
  HoldAfter: [{ HoldAfter: 50 }],
  State: [{ State: "Paused" }, { State: "Active" }],
  HeldOn: [],
  HeldReason: [],
};

describe.concurrent("entries of the audit log go only where a reader of the log has sent them", () => {
  test("no change of where the calls go is accepted, with the subscription, without it, or after it", async () => {
    await using all = await arranged();
    const { admin, operator, collector, own } = all;
    const { Id } = all.connection;
    const refused = async (change: object) =>
      expectError(await operator.patch("/WebhookConnection", { Id, ...change }), 403, "Permission", SAYS);
    for (const change of Object.values(redirections(collector, own))) {
      await refused(change);
      await refused({ ...change, Entities: ["Department"] });
    }
    await ok(operator.patch("/WebhookConnection", { Id, Entities: ["Department"] }));
    for (const change of Object.values(redirections(collector, own))) {
      await refused(change);
      await refused({ ...change, Entities: ["AuditEvent"] });
    }
    await refused({ Entities: ["AuditEvent"] });
    expect(await admin.connection(Id)).toMatchObject({ URL: collector.url, ApiKey: FIRST.ApiKey });

    // A reader of the log may, with the subscription and after it.
    await ok(admin.patch("/WebhookConnection", { Id, URL: at(collector, "/other") }));
    const scoped = await admin.withScope("Webhooks:Create, Update");
    expectError(await scoped.patch("/WebhookConnection", { Id, URL: collector.url }), 403, "Permission", SAYS);
    // The Id of a deleted connection is not free.
    await ok(admin.remove(`/WebhookConnection/${Id}`));
    const again = { Id, Name: "Again", URL: own.url, Entities: ["Department"], Events: ["Created"] };
    expectError(await operator.patch("/WebhookConnection", again), 404, "Not Found");
  });

  test.each(Object.entries(OTHERS).flatMap(([field, changes]) => changes.map((change) => [field, change] as const)))(
    "a change of %s, %j, leaves the address, the query and the headers of the calls",
    async (_, change) => {
      await using all = await arranged();
      const { admin, operator, collector } = all;
      const { Id } = all.connection;
      await audited(admin);
      const before = await until("an entry", () => entriesAt(collector)[0]);
      await ok(operator.patch("/WebhookConnection", { Id, ...change }));
      const { EventId } = (await eventsOf(admin)).Items[0]!;
      await admin.settled(EventId);
      const known = collector.callsFor(EventId).length;
      if (change.State !== "Paused") await ok(post(operator, `/WebhookEvent/${EventId}/Redeliver`, {}));
      else await ok(operator.patch("/WebhookConnection", { Id, State: "Active" }));
      const again = await until("it again", () => collector.callsFor(EventId)[known]);
      expect(again.url.href).toBe(before.url.href);
      const account = [before, again].map(({ headers }) => headers.get("x-account"));
      expect(account).toEqual(["ours", "ours"]);
    },
  );

  test("held, retried and delivered entries reach the chosen address alone: drained, redelivered one by one, and in bulk", async () => {
    await using all = await arranged([500, 200]);
    const { admin, operator, collector, own } = all;
    const { Id } = all.connection;
    const moves = Object.values(redirections(collector, own));
    const tryAll = async () => {
      for (const move of moves)
        for (const entities of [{}, { Entities: ["Department"] }])
          expect((await operator.patch("/WebhookConnection", { Id, ...move, ...entities })).status).toBe(403);
    };
    // A retry is pending.
    await audited(admin);
    await tryAll();
    await ok(operator.patch("/WebhookConnection", { Id, State: "Paused" }));
    await audited(admin);
    await ok(operator.patch("/WebhookConnection", { Id, Entities: ["Department"] }));
    await tryAll();
    expect((await eventsOf(admin, "State=Held")).Items.length).toBeGreaterThan(0);
    await ok(operator.patch("/WebhookConnection", { Id, State: "Active" }));
    await until("the drain", async () => (await eventsOf(admin, "State=Delivered")).Items.length >= 3);
    const { Items } = await eventsOf(admin);
    for (const { EventId } of Items) await admin.settled(EventId);
    const before = entriesAt(collector).length;
    for (const { EventId } of Items) await ok(post(operator, `/WebhookEvent/${EventId}/Redeliver`, {}));
    for (const { EventId } of Items) await admin.settled(EventId);
    const States = ["Delivered", "Exhausted"];
    const replay = await ok(post(operator, "/Redelivery", { ConnectionId: Id, From: "2020-01-01", States }));
    expect(replay.Total).toBe(Items.length);
    await admin.endedRedelivery(replay.Id);
    const test = { EventRecord: "Department", EventType: "Created" };
    await ok(post(operator, `/WebhookConnection/${Id}/Test`, test));
    await until("all of them", () => entriesAt(collector).length >= before + 2 * Items.length);
    expect(own.calls).toEqual([]);
    expect([...new Set(entriesAt(collector).map(({ url }) => url.href))]).toEqual([
      `${collector.url}?ApiKey=${FIRST.ApiKey}`,
    ]);
    // The redelivery follows a reader of the log to the next address.
    await ok(admin.patch("/WebhookConnection", { Id, URL: at(collector, "/next") }));
    const { EventId } = Items[0]!;
    await ok(post(operator, `/WebhookEvent/${EventId}/Redeliver`, {}));
    await until("the next address", () => collector.callsFor(EventId).at(-1)!.url.pathname === "/next");
  });

  test("the form in Settings says the same", async () => {
    await using all = await arranged();
    const { admin, collector } = all;
    const { Id } = all.connection;
    await ok(
      admin.patch("/Role", { Name: "Webhooks", Scopes: ["Webhooks:Read", "Webhooks:Create", "Webhooks:Update"] }),
    );
    const colleague = await newColleague(admin, "Webhooks");
    const visitor = new Visitor(issuer());
    const door = await visitor.open(`/settings?organisation=${admin.tenantId}`);
    await visitor.submit(door, colleague);
    const page = await visitor.open(`/settings/webhooks/${Id}/change`);
    const form = page.forms.find(({ fields }) => "URL" in fields);
    expect({ heading: page.heading, URL: form?.fields.URL, forms: page.forms }).toMatchObject({ URL: collector.url });
    const typed = new URLSearchParams({ ...form!.fields, URL: at(collector, "/other"), Headers: "X-Account:" });
    typed.set("Entities", "Department");
    typed.set("Events", "Created");
    const answer = await visitor.post(form!.action, typed.toString());
    expect(answer.status).toBe(403);
    expect(answer.html).toContain("may choose who receives them");
    expect((await admin.connection(Id)).URL).toBe(collector.url);
  });
});
