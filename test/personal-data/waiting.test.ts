import { expect, test } from "bun:test";
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
