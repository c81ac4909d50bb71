import { expect, test } from "bun:test";
import { ok, until } from "../world/api.ts";
import { holdTransaction } from "../world/locks.ts";
import { newTenant, savePolicy } from "../world/tenant.ts";

test("an erasure says that it waits for older transactions", async () => {
  const api = await newTenant();
  const { body } = await api.call("PATCH", "/User", { Username: "ana", Name: "Ana" });
  const { release } = await holdTransaction();
  const { body: erasure } = await api.call("POST", `/User/${body.Id}/Erase`, { Deliveries: "Send" });
  const Reason = "Waits for transactions of PostgreSQL that began before it, such as a backup.";
  expect((await api.get(`/Erasure/${erasure.Id}`)).body).toMatchObject({ State: "Running", Reason });
  await release();
  await until("its end", async () => (await api.get(`/Erasure/${erasure.Id}`)).body.State === "Completed");
  expect((await api.get(`/Erasure/${erasure.Id}`)).body.Reason).toBeNull();
});

test("two erasures of one tenant end each by its own search", async () => {
  const api = await newTenant();
  const [ana, bo] = await Promise.all(["ana", "bo"].map((Username) => api.made("User", { Username })));
  // Two of its own open deliveries: they are counted only after the search.
  await api.connect("https://localhost:9443/", { Entities: ["User"], Events: ["Deleted"], State: "Paused" });
  const erase = async ({ Id }: { Id: unknown }) => (await ok(api.call("POST", `/User/${Id}/Erase`))).Id;
  const read = async (id: string) => (await api.get(`/Erasure/${id}`)).body;
  const first = await erase(ana);
  // The second erasure waits for this transaction, the first does not.
  const { release } = await holdTransaction();
  const second = await erase(bo);
  await until("the first to have searched", async () => (await read(first)).Waiting === 1);
  expect(await read(second)).toMatchObject({
    State: "Running",
    Waiting: null,
    Reason: expect.stringContaining("before it"),
  });
  await release();
  await until("the second to have searched", async () => (await read(second)).Waiting === 1);
  const Before = new Date(Date.now() + 60_000).toISOString();
  const [connection] = (await ok(api.get("/WebhookConnection"))).Items;
  expect((await api.call("POST", `/WebhookConnection/${connection.Id}/Discard`, { Before })).body.Count).toBe(2);
  for (const [id, user] of [
    [first, ana],
    [second, bo],
  ]) {
    await until("its end", async () => (await read(id)).State === "Completed");
    const { Items } = await api.events(`EventRecord=User&RecordId=${user.Id}`);
    expect(Items.length).toBeGreaterThanOrEqual(2);
    for (const { EventId } of Items) expect((await api.event(EventId)).Payload).toBeNull();
  }
});

test("an erasure tells of Held deliveries and what to do; a discard lets it end, and its deliveries say so", async () => {
  const api = await newTenant();
  const { Id: connectionId } = await api.connect("https://localhost:9443/", {
    ...{ Entities: ["User"], Events: ["Created", "Deleted"], State: "Paused" },
  });
  const { Id } = await api.made("User", { Username: "ana" });
  const { body: erasure } = await api.call("POST", `/User/${Id}/Erase`, { Deliveries: "Send" });
  const read = async () => (await api.get(`/Erasure/${erasure.Id}`)).body;
  const Reason =
    "Waits for 2 open deliveries and logouts. Held: 2. Resume their connections, or discard what they hold.";
  await until("the Held deliveries to be told", async () => (await read()).Reason === Reason);
  const Before = new Date(Date.now() + 60_000).toISOString();
  expect((await api.call("POST", `/WebhookConnection/${connectionId}/Discard`, { Before })).body.Count).toBe(2);
  await until("its end", async () => (await read()).State === "Completed");
  const [event] = (await api.events(`RecordId=${Id}&EventType=Deleted`)).Items;
  const why = (await api.get(`/WebhookEvent/${event!.EventId}/Why`)).body.Items;
  expect(why).toMatchObject([
    { Outcome: "Cancelled", Reason: "cancelled by Discard, by the erasure of a person, or in Temporal" },
  ]);
});

test("a policy that forbids by the record is not avoided by deleting the record first", async () => {
  const api = await newTenant();
  const text =
    'forbid (principal, action == Action::"AccessManager:Erase", resource is User) when { resource.Name == "Chief" };';
  await savePolicy(api, "Chief", text);
  const { Id } = await api.made("User", { Username: "ana", Name: "Chief" });
  const erase = (DryRun: boolean) => api.call("POST", `/User/${Id}/Erase`, { DryRun });
  await until("the policy to apply", async () => (await erase(true)).status === 403);
  expect((await api.call("DELETE", `/User/${Id}`)).status).toBe(200);
  for (const isDry of [true, false]) {
    expect(await erase(isDry)).toMatchObject({
      status: 403,
      body: { Errors: [expect.stringContaining("Only callers who may erase every User")] },
    });
  }
});

test("how a Running erasure treats deliveries is not changed despite a forbid, of the User or of the Erasure", async () => {
  const forbids = [
    'action == Action::"AccessManager:Erase", resource is User) when { resource.Name == "Chief" }',
    'action == Action::"AccessManager:Erase", resource is User) when { resource.Creation_Date < datetime("2000-01-01") }',
    'action == Action::"AccessManager:Erase", resource is User) when { resource in Role::"ops" }',
    'action == Action::"AccessManager:Erase", resource == User::"ID")',
    'action == Action::"AccessManager:Erase", resource is Erasure)',
    'action == Action::"AccessManager:Update", resource is Erasure) when { resource.State == "Running" }',
    'action, resource is Erasure) when { resource.UserId == "ID" }',
  ];
  const api = await newTenant();
  await api.connect("https://localhost:9443/", { Entities: ["User"], Events: ["Created", "Deleted"], State: "Paused" });
  for (const forbid of forbids) {
    const { Id } = await api.made("User", { Username: Bun.randomUUIDv7(), Name: "Chief" });
    const erase = (Deliveries: string) => api.call("POST", `/User/${Id}/Erase`, { Deliveries });
    const { body } = await erase("Send");
    const { Id: policy } = await savePolicy(api, "Chief", `forbid (principal, ${forbid.replace("ID", String(Id))};`);
    expect({ forbid, status: (await erase("Cancel")).status }).toEqual({ forbid, status: 403 });
    await api.call("DELETE", `/Policy/${policy}`);
    expect((await api.get(`/Erasure/${body.Id}`)).body).toMatchObject({ State: "Running", Deliveries: "Send" });
    // Without it, the same caller may.
    expect((await erase("Cancel")).body).toMatchObject({ Id: body.Id, Deliveries: "Cancel" });
  }
});

test("an erasure does not wait for its own transaction", async () => {
  const api = await newTenant();
  // Other tests may have older ones.
  await until("an answer without older transactions", async () => {
    const { Id } = await api.made("User", { Username: Bun.randomUUIDv7() });
    const { body } = await api.call("POST", `/User/${Id}/Erase`);
    return body.Reason === "Searches the stored events.";
  });
});
