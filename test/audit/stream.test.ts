// Entries of the audit log as webhook events.

import { describe, expect, test } from "bun:test";
import { generateSecret, signPayload } from "../../server/webhooks/signature.ts";
import { type Api, expectError, ok, until } from "../world/api.ts";
import { type AuditEvent, logOf } from "../world/audit.ts";
import { issuer } from "../world/client.ts";
import { newApplication, Person } from "../world/person.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { clientOf, newMember, newTenant, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const COLLECTOR = { Name: "Collector", Entities: ["AuditEvent"], Events: ["Created"] };

type Streamed = AuditEvent & { ChainHead: string | null };
const streamedTo = ({ calls }: Receiver) =>
  calls
    .filter(({ payload }) => payload.EventRecord === "AuditEvent")
    .map(({ payload }) => payload.Data as unknown as Streamed);

const eventsOf = async (api: Pick<Api, "get">) =>
  (await ok(api.get("/WebhookEvent?EventRecord=AuditEvent&Limit=200"))).Items as {
    EventId: string;
    RecordId: string;
  }[];

const entry = (receiver: Receiver, kind: string) =>
  until(kind, () => streamedTo(receiver).find(({ Kind }) => Kind === kind));

/** One entry. */
const audited = (api: Api) => ok(api.patch("/Role", { Name: crypto.randomUUID() }));

describe.concurrent("a connection subscribed to audit events", () => {
  test("gets each entry once, signed, as the log shows it", async () => {
    const api = await newTenant();
    await using collector = startReceiver(200);
    await using other = startReceiver(200);
    await api.connect(other.url, { Name: "Other" });
    await audited(api);
    expect(await eventsOf(api)).toEqual([]);
    const Secret = generateSecret();
    await api.connect(collector.url, { ...COLLECTOR, Secret });
    await audited(api);
    const { Id, ChainHead, ...streamed } = await entry(collector, "Role.Created");
    const { Id: _, ...read } = await ok(api.get(`/AuditEvent/${Id}`));
    expect(streamed as object).toEqual(read);
    expect(ChainHead ?? "0".repeat(64)).toMatch(/^[\da-f]{64}$/);
    const call = collector.calls.find(({ payload }) => (payload.Data as { Id?: string }).Id === Id)!;
    expect(call.payload).toMatchObject({ EventType: "Created", EventRecord: "AuditEvent", EventResponse: "Object" });
    expect(call.headers.get("x-signature")).toBe(signPayload(call.bytes.toString("utf8"), Secret));
    // Since the connection was made, whose own entry is the first.
    const entries = (await logOf(api)).map((one) => one.Id);
    const sent = (await eventsOf(api)).map(({ RecordId }) => RecordId);
    expect(sent).toEqual(entries.slice(0, sent.length));
    expect(sent).toHaveLength(2);
    expect(other.calls).toEqual([]);
    const entities = await ok(api.get("/Entities"));
    expect(entities.Items.at(-1)).toMatchObject({ Name: "AuditEvent", Events: ["Created"] });
  });

  test("needs Created among its events", async () => {
    const api = await newTenant();
    const wish = { ...COLLECTOR, URL: "https://collector.example.com/", Events: ["Updated", "Deleted"] };
    const says = /^Events must have Created, the only event of AuditEvent\.$/;
    expectError(await api.patch("/WebhookConnection", wish), 400, "Bad Input", says);
    await ok(api.patch("/WebhookConnection", { ...wish, Entities: ["User"] }));
    const added = { Name: wish.Name, Entities: ["User", "AuditEvent"] };
    expectError(await api.patch("/WebhookConnection", added), 400, "Bad Input", says);
  });

  test("has events in Settings that lead to their entries", async () => {
    const api = await newTenant();
    await using collector = startReceiver();
    await api.connect(collector.url, COLLECTOR);
    await audited(api);
    const event = (await eventsOf(api))[0]!;
    const visitor = new Visitor(issuer());
    const { tenantId, admin } = api.tenant;
    await visitor.submit(await visitor.open(`/settings?organisation=${tenantId}`), admin);
    for (const path of ["/settings/activity", `/settings/activity/${event.EventId}`]) {
      const { html } = await visitor.open(path);
      expect(html).toContain(`<a href="/settings/audit-log/${event.RecordId}">Role.Created</a>`);
      expect(html).not.toContain("no earlier state");
    }
  });

  test("causes no entries by its deliveries, also while it fails and is held", async () => {
    const api = await newTenant();
    await using collector = startReceiver(410);
    const { Id } = await api.connect(collector.url, { ...COLLECTOR, Entities: ["AuditEvent", "Alert"] });
    await audited(api);
    await until("it to be held", async () => (await api.connection(Id)).State === "Held");
    await audited(api);
    const entries = await logOf(api);
    expect(await eventsOf(api)).toHaveLength(3);
    expect(entries.filter(({ Kind }) => Kind !== "Role.Created").map(({ Kind }) => Kind)).toEqual([
      "WebhookConnection.Created",
    ]);
    expect((await api.events("State=Held")).Items.length).toBeGreaterThan(0);
  });

  test("gets failed sign-ins and a person's entries, without address and user agent", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    await using collector = startReceiver(200);
    await admin.connect(collector.url, COLLECTOR);
    const { visitor } = new Person(client);
    for (const username of [client.tenant.admin.username, "an unknown one"]) {
      const page = await visitor.open(client.authorize());
      await visitor.submit(page, { username, password: "a wrong guess" });
    }
    await until("both", () => streamedTo(collector).filter(({ Kind }) => Kind === "SignIn.Failed").length === 2);
    const failed = await logOf(admin, "Kind=SignIn.Failed");
    expect(failed.map(({ Address }) => Address)).toEqual(["127.0.0.1", "127.0.0.1"]);
    for (const { Id, ...read } of failed) {
      const { ChainHead: _, ...streamed } = streamedTo(collector).find((one) => one.Id === Id)!;
      expect(streamed as object).toEqual({ Id, ...read, Address: "", UserAgent: "" });
    }
  });

  test("is chosen only by callers who may read every entry, who alone see the payloads", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    await using collector = startReceiver(200);
    await savePolicy(
      admin,
      "Webhooks",
      `permit (principal == Client::"${spy.clientId}", action, resource)
        when { resource is WebhookConnection || resource is WebhookEvent };`,
    );
    const wish = { ...COLLECTOR, URL: collector.url };
    expectError(await spy.patch("/WebhookConnection", wish), 403, "Permission");
    const { Id } = await ok(admin.patch("/WebhookConnection", wish));
    // Neither by a different address, nor by a wider subscription.
    expectError(
      await spy.patch("/WebhookConnection", { Id, URL: "https://localhost:9443/", ApiKey: "k" }),
      403,
      "Permission",
    );
    const own = await ok(spy.patch("/WebhookConnection", { ...wish, Name: "Own", Entities: ["Department"] }));
    expectError(await spy.patch("/WebhookConnection", { ...wish, Id: own.Id, Name: "Own" }), 403, "Permission");
    await ok(spy.patch("/WebhookConnection", { Id, Description: "the same receiver" }));

    await audited(admin);
    await entry(collector, "Role.Created");
    const [newest] = await eventsOf(admin);
    const hidden = await ok(spy.get(`/WebhookEvent/${newest!.EventId}`));
    expect(hidden.Withheld).not.toBeNull();
    expect(hidden.Payload.Data).toBeUndefined();
    expect((await ok(admin.get(`/WebhookEvent/${newest!.EventId}`))).Payload.Data.Kind).toStartWith("Role.");
    const unscoped = await admin.withScope("Webhooks:Read");
    expect((await ok(unscoped.get(`/WebhookEvent/${newest!.EventId}`))).Payload.Data).toBeUndefined();
  });
});
