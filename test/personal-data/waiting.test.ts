import { expect, test } from "bun:test";
import { savePolicy } from "../policies/people.ts";
import { until } from "../support/api.ts";
import { db, newTenant } from "../support/tenant.ts";

test("an erasure says that it waits for older transactions", async () => {
  const api = await newTenant();
  const { body } = await api.call("PATCH", "/User", { Username: "ana", Name: "Ana" });
  const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>();
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  const older = db().begin(async (tx) => {
    await tx`select pg_current_xact_id()`;
    begun();
    await isOver;
  });
  await isBegun;
  const { body: erasure } = await api.call("POST", `/User/${body.Id}/Erase`, { Deliveries: "Send" });
  const Reason = "Waits for transactions of PostgreSQL that began before it, such as a backup.";
  expect((await api.get(`/Erasure/${erasure.Id}`)).body).toMatchObject({ State: "Running", Reason });
  over();
  await older;
  await until("its end", async () => (await api.get(`/Erasure/${erasure.Id}`)).body.State === "Completed");
  expect((await api.get(`/Erasure/${erasure.Id}`)).body.Reason).toBeNull();
}, 60_000);

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
}, 60_000);

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
}, 60_000);

test("an erasure does not wait for its own transaction", async () => {
  const api = await newTenant();
  // Other tests may have older ones.
  await until("an answer without older transactions", async () => {
    const { Id } = await api.made("User", { Username: Bun.randomUUIDv7() });
    const { body } = await api.call("POST", `/User/${Id}/Erase`);
    return body.Reason === "Searches the stored events.";
  });
}, 60_000);
