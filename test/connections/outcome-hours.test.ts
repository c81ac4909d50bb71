// Finished hours of outcomes, counted once: the figures stay those of the deliveries themselves. On a database of its own,
// because every running transaction counts.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "../../server/platform/db/sql.ts";
import { countHours } from "../../server/webhooks/figures/hours.store.ts";
import { countFinishedHours } from "../../server/webhooks/figures/hours.ts";
import { redeliver } from "../../server/webhooks/log/redeliver-event.store.ts";
import { type EmptyDatabase, newMigratedDatabase } from "../support/empty-database.ts";
import { Outcomes } from "./outcomes.ts";

const HOUR_MS = 3_600_000;
const EVENTS = 1_200;

let database: EmptyDatabase;
beforeAll(async () => {
  database = await newMigratedDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const made = (...how: Parameters<Outcomes["make"]>) => new Outcomes(database.sql).make(...how);
const pendingOrDelivered = (event: number) => (event % 2 === 0 ? "Pending" : "Delivered");

test("a busy tenant's hours are counted by maintenance; redeliveries and late answers change no past hour", async () => {
  const { sql } = database;
  const [busy, quiet] = [await made(EVENTS), await made(20)];
  await busy.measured(5_000);
  await quiet.measured(20);
  await busy.expectTrueFigures();
  await countFinishedHours(sql);
  expect((await busy.stored()).count).toBeGreaterThan(EVENTS);
  expect((await quiet.stored()).count).toBe(0);
  await busy.expectTrueFigures();
  await quiet.expectTrueFigures();

  const again = await busy.deliveryIn("Exhausted");
  await sql.begin((tx) => redeliver(tx, busy.tenantId, again.eventId, [again.id]));
  await busy.expectTrueFigures();
  expect(await busy.record(again, "Delivered")).toBe("Delivered");
  // Two workers sent the same one, and answers to cancelled ones arrive late.
  expect(await busy.record(await busy.deliveryIn("Delivered"), "Delivered")).toBe("Delivered");
  expect(await busy.record(await busy.deliveryIn("Cancelled"), "Exhausted")).toBe("Cancelled");
  expect(await busy.record(await busy.deliveryIn("Cancelled"), "Delivered")).toBe("Delivered");
  await busy.discardHeld();
  await busy.expectTrueFigures();
  await countFinishedHours(sql);
  await busy.expectTrueFigures();

  // Retention has removed a day, and then the tenant keeps its log for a shorter time.
  await busy.forget(4);
  expect(await countFinishedHours(sql)).toBeGreaterThan(0);
  expect((await busy.stored()).hours).toBeWithin(3 * 24 - 1, 4 * 24 + 2);
  await busy.keepFor(1);
  expect(await countFinishedHours(sql)).toBeGreaterThan(0);
  expect((await busy.stored()).hours).toBeWithin(22, 26);
});

test("an hour waits for the outcomes of its transactions, however late they are committed", async () => {
  const { sql } = database;
  const outcomes = await made(50, pendingOrDelivered);
  const later = new Date(Date.now() + 2 * HOUR_MS);
  const [locked, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = sql.begin(async (tx) => {
    await outcomes.record(await outcomes.deliveryIn("Pending", new Date()), "Delivered", tx);
    locked.resolve();
    await freed.promise;
  });
  await locked.promise;
  // Hours later by this clock, the transaction still holds its delivery.
  const until = await countHours(sql, outcomes.tenantId, later);
  expect(until.getTime()).toBeLessThanOrEqual(Date.now());
  await outcomes.expectTrueFigures();
  freed.resolve();
  await late;
  await outcomes.expectTrueFigures();
  const before = await outcomes.stored();
  expect((await countHours(sql, outcomes.tenantId, later)).getTime()).toBeGreaterThan(until.getTime());
  expect((await outcomes.stored()).count).toBeGreaterThan(before.count);
  await outcomes.expectTrueFigures();
});

test("an hour waits for transactions of another role, whose start is hidden", async () => {
  const outcomes = await made(50);
  const reader = connect(await database.asReader(), "gatehouse test", 2);
  const [begun, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open = database.sql.begin(async (tx) => {
    await outcomes.stored(tx);
    begun.resolve();
    await freed.promise;
  });
  await begun.promise;
  const until = await countHours(reader, outcomes.tenantId);
  freed.resolve();
  await open;
  expect((await countHours(reader, outcomes.tenantId)).getTime()).toBeGreaterThan(until.getTime());
  expect((await outcomes.stored()).count).toBeGreaterThan(0);
  await outcomes.expectTrueFigures();
  await reader.end();
});
