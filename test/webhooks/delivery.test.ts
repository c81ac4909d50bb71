import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { POLL_MS } from "../../server/platform/db/watch.ts";
import { until } from "../world/api.ts";
import { type Call, connected, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

describe.concurrent("a committed change", () => {
  test("arrives as SPEC.md's payload, in its field order, as compact JSON", async () => {
    const api = await newTenant();
    await using receiver = await connected(api);
    const record = await api.change({ Name: "Zoë 🚪", ExternalId: "x-1", Is_Active: true });
    const event = await api.settledEvent();

    expect(receiver.calls).toHaveLength(1);
    const { method, headers, bytes, payload } = receiver.calls[0]!;
    expect(method).toBe("POST");
    expect(headers.get("content-type")).toBe("application/json");
    expect(bytes.toString("utf8")).toBe(JSON.stringify(payload));
    expect(Object.entries(payload)).toEqual([
      ["TenantId", api.tenant.tenantId],
      ["EventType", "Created"],
      ["EventId", event.EventId],
      ["Version", "1.0"],
      ["Timestamp", event.Timestamp],
      ["EventRecord", "Application"],
      ["EventResponse", "Object"],
      ["Data", record],
    ]);
    expect(event.EventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(event.Timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("is sent when it is committed, not at the next poll", async () => {
    const api = await newTenant();
    await using receiver = await connected(api);
    const start = Date.now();
    for (let sent = 1; sent <= 6; sent++) {
      await api.change({ Name: `change ${sent}` });
      await until("it to arrive", () => receiver.calls.length === sent);
    }
    // Each later change would wait for a whole poll.
    expect(Date.now() - start).toBeLessThan(3 * POLL_MS);
  });

  test("is logged with its delivery, its attempt and the receiver's answer", async () => {
    const api = await newTenant();
    const answer = new Response("thank you", { status: 202, headers: { "x-receiver": "r1" } });
    await using receiver = startReceiver(answer);
    const connection = await api.connect(receiver.url);
    const record = await api.change({ Name: "Front door" });
    const event = await api.settledEvent();

    expect(event).toMatchObject({
      EventType: "Created",
      EventRecord: "Application",
      RecordId: record.Id,
      RecordCount: 1,
    });
    expect(event).toMatchObject({ State: "Delivered", Reason: null, Payload: { Data: record } });
    expect(event.Deliveries).toHaveLength(1);
    expect(event.Deliveries[0]).toMatchObject({ ConnectionId: connection.Id, State: "Delivered", AttemptCount: 1 });
    const [attempt] = event.Deliveries[0]!.Attempts;
    expect(attempt).toMatchObject({ Number: 1, StatusCode: 202, Failure: null });
    expect(attempt!.Response.Headers).toContain("x-receiver: r1");
    expect(attempt!.Response.Body).toBe("thank you");
    expect(event.WorkflowUrl).toEndWith(
      `/namespaces/default/workflows/${encodeURIComponent(`Application/${record.Id}/Created/${event.EventId}`)}`,
    );
  });

  test("without an effect sends nothing, and one with an effect sends Updated", async () => {
    const api = await newTenant();
    await using receiver = await connected(api);
    await api.change({ Name: "Gate", Description: "old" });
    await api.change({ Name: "Gate", Description: "old" });
    await api.change({ Name: "Gate", Description: "new" });
    await until("two calls", () => receiver.calls.length === 2);
    const { Items } = await api.events();
    expect(Items.map((event) => event.EventType)).toEqual(["Updated", "Created"]);
  });

  test("goes only to connections of its tenant subscribed to this entity and kind of event", async () => {
    const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
    await using wanted = startReceiver();
    await using others = startReceiver();
    await api.connect(wanted.url, { Events: ["Updated"] });
    await api.connect(others.url, { Entities: ["User"] });
    await api.connect(others.url, { Events: ["Deleted"] });
    await stranger.connect(others.url);
    await api.change({ Name: "Gate" });
    await api.settledChange({ Name: "Gate", Description: "new" });
    expect(wanted.calls.map((call) => call.payload.EventType)).toEqual(["Updated"]);
    expect(others.calls).toHaveLength(0);
  });

  test("reaches every matching connection, each with its own ApiKey", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const connections = await Promise.all([1, 2, 3].map(() => api.connect(receiver.url)));
    const event = await api.settledChange({ Name: "Gate" });
    const keys = receiver.calls.map((call) => call.url.searchParams.get("ApiKey"));
    expect(keys.toSorted()).toEqual(connections.map((connection) => connection.ApiKey).toSorted());
    expect(new Set(keys).size).toBe(3);
    expect(event.Deliveries.map((delivery) => delivery.State)).toEqual(["Delivered", "Delivered", "Delivered"]);
  });
});

describe.concurrent("a receiver authenticates a call", () => {
  const secret = "a person's own secret, ünïcode";

  test("by X-Signature, as openssl computes it", async () => {
    const call = await callSignedWith(secret);
    const hexKey = Buffer.from(secret).toString("hex");
    const openssl = Bun.spawn(["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${hexKey}`], {
      stdin: call.bytes,
    });
    const printed = (await new Response(openssl.stdout).text()).trim().split(" ").at(-1);
    expect(call.headers.get("x-signature")).toBe(printed!);
  });

  test("by the headers of Standard Webhooks, with a secret chosen by a person", async () => {
    const call = await callSignedWith(secret);
    const library = new Webhook(new TextEncoder().encode(secret), { format: "raw" });
    expect(library.verify(call.bytes, call.headers.toJSON())).toEqual(call.payload);
    expect(call.headers.get("webhook-id")).toBe(call.payload.EventId);
  });

  test("by the headers of Standard Webhooks, with a whsec_ secret", async () => {
    const whsec = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
    const call = await callSignedWith(whsec);
    expect(new Webhook(whsec).verify(call.bytes, call.headers.toJSON())).toEqual(call.payload);
  });

  test("by the ApiKey in the query, beside the URL's own query", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(`${receiver.url}?a=1&b=%26`, { ApiKey: "k&y=1" });
    await api.settledChange({ Name: "Gate" });
    expect([...receiver.calls[0]!.url.searchParams]).toEqual([
      ["a", "1"],
      ["b", "&"],
      ["ApiKey", "k&y=1"],
    ]);
  });

  test("by an ApiKey in the URL itself", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    expect((await api.connect(`${receiver.url}?ApiKey=mine`)).ApiKey).toBe("mine");
    await api.settledChange({ Name: "Gate" });
    expect(receiver.calls[0]!.url.searchParams.getAll("ApiKey")).toEqual(["mine"]);
  });

  test("by the connection's ApiKey where the URL has an empty one", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(`${receiver.url}?ApiKey=&a=1`, { ApiKey: "mine" });
    await api.settledChange({ Name: "Gate" });
    expect([...receiver.calls[0]!.url.searchParams]).toEqual([
      ["a", "1"],
      ["ApiKey", "mine"],
    ]);
  });

  test("and gets no signature without a secret", async () => {
    const call = await callSignedWith(null);
    const names = [...call.headers.keys()];
    expect(names.filter((name) => name.startsWith("webhook-") || name === "x-signature")).toEqual(["webhook-sequence"]);
  });
});

async function callSignedWith(secret: string | null): Promise<Call> {
  const api = await newTenant();
  await using receiver = startReceiver();
  await api.connect(receiver.url, { Secret: secret });
  await api.settledChange({ Name: "Zoë 🚪" });
  return receiver.calls[0]!;
}
