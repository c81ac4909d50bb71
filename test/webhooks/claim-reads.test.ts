// Rows that claim queries read, with long queues: as PostgreSQL counts them, with fresh statistics. The data is never
// committed, so workers do not see it.

import { describe, expect, test } from "bun:test";
import type { Transaction } from "../../server/platform/db/sql.ts";
import type { DeliveryId } from "../../server/platform/ids.ts";
import { listBeyond, listQueued, listSelected, PAGE } from "../../server/webhooks/deliveries/candidates.store.ts";
import { lockQueue } from "../../server/webhooks/deliveries/queue.store.ts";
import { lockPosts } from "../../server/webhooks/deliveries/start-attempt.store.ts";
import { isAnyLeft } from "../../server/webhooks/redelivery/follow.store.ts";
import { countSelected, positionsOf, type Redelivery } from "../../server/webhooks/redelivery/store.ts";
import type { Api } from "../world/api.ts";
import { recordKey } from "../world/planted.ts";
import { analyze, rowsRead } from "../world/postgresql.ts";
import { addRows, rowsOf, times } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";

const MANY = 10_000;
/** Index entries and table rows: for each candidate its own, its event's, and those for which its record waits. */
const FEW = 50 * PAGE;
/**
 * Planning a range of positions or ids may read as many pages of dead entries, such as those of other tests. So both
 * the skipped rows and the allowed number are larger.
 */
const LOTS = 3 * MANY;
const NOT_LOTS = LOTS / 2;
const URL = "https://receiver.example/";
const HOUR_MS = 3_600_000;
const STATES = { queued: "Pending", outbox: "Pending", held: "Held", nothing: "Delivered" };

describe.concurrent("with any number of deliveries waiting for a connection", () => {
  test("a claim in record order reads a page, also of one hot record", async () => {
    const [api, other] = [await newTenant(), await newTenant()];
    const { Id } = await api.connect(URL, { Order: "Record" });
    const { Id: othersId } = await other.connect(URL, { Order: "Record" });
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { record: "hot", waits: "queued" });
      await insertMany(tx, other, othersId, { waits: "queued" });
      await insertMany(tx, other, othersId, { record: "hot", waits: "queued" });
      await analyze(["events", "deliveries"], tx);
      const oldest = await listQueued(tx, Id, true, false);
      expect(oldest).toHaveLength(PAGE);
      expect(await readBy(tx, () => listQueued(tx, Id, true, false))).toBeLessThan(FEW);
      const seen = { position: oldest.at(-1)!.position, records: oldest.flatMap(({ records }) => records) };
      expect(await readBy(tx, () => listBeyond(tx, Id, "queue", seen))).toBeLessThan(FEW);
    });
  });

  test.each([1, 3])("undispatched ones are not read, with events of %d records each", async (records) => {
    const api = await newTenant();
    const { Id } = await api.connect(URL, { Order: "Record" });
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { waits: "outbox", records });
      await insertMany(tx, api, Id, { waits: "queued" });
      await insertMany(tx, api, Id, { waits: "held" });
      await analyze(["events", "deliveries"], tx);
      const drain = { kind: "Drain", connectionId: Id } as Redelivery;
      expect(await readBy(tx, () => listQueued(tx, Id, true, false))).toBeLessThan(FEW);
      expect(await readBy(tx, () => listSelected(tx, api.tenant.tenantId, drain))).toBeLessThan(FEW);
      for (const waiting of ["queue", "Drain"] as const) {
        const beyond = () => listBeyond(tx, Id, waiting, { position: 0, records: [] });
        expect(await readBy(tx, beyond)).toBeLessThan(FEW);
      }
    });
  });

  test("other connections' open ones are not read, also with outdated statistics", async () => {
    const [api, other] = [await newTenant(), await newTenant()];
    const { Id } = await api.connect(URL, { Order: "Record" });
    const { Id: othersId } = await other.connect(URL);
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { waits: "held" });
      await analyze(["events", "deliveries"], tx);
      await insertMany(tx, other, othersId, { waits: "outbox" });
      const drain = { kind: "Drain", connectionId: Id } as Redelivery;
      expect(await readBy(tx, () => listSelected(tx, api.tenant.tenantId, drain))).toBeLessThan(FEW);
      expect(await readBy(tx, () => listQueued(tx, Id, true, false))).toBeLessThan(FEW);
    });
  });

  test("counting deliveries in flight reads no undispatched ones", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(URL, { MaxInFlight: 2 });
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { waits: "outbox" });
      await analyze(["events", "deliveries"], tx);
      const [delivery] = await rowsOf<{ id: DeliveryId }>("deliveries", { connection_id: Id }, tx);
      expect(await lockPosts(tx, api.tenant.tenantId, delivery!.id)).toBe(true);
      expect(await readBy(tx, () => lockPosts(tx, api.tenant.tenantId, delivery!.id))).toBeLessThan(FEW);
      expect(await readBy(tx, () => lockQueue(tx, Id))).toBeLessThan(FEW);
    });
  });
});

test.each(["before", "after"])("a Replay of a range of time reads nothing %s it", async (when) => {
  const api = await newTenant();
  const { tenantId } = api.tenant;
  const { Id: connectionId } = await api.connect(URL);
  await neverCommitted(async (tx) => {
    const [from, to] = [new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() - HOUR_MS)];
    const others = { waits: "nothing", hoursAgo: when === "before" ? 3 : 0, count: LOTS } as const;
    if (when === "before") await insertMany(tx, api, connectionId, others);
    await insertMany(tx, api, connectionId, { waits: "nothing", hoursAgo: 1.5, count: 3 });
    if (when === "after") await insertMany(tx, api, connectionId, others);
    await analyze(["events", "deliveries"], tx);
    const positions = await positionsOf(tx, tenantId, from, to);
    const window = { kind: "Replay", connectionId, states: ["Delivered"], from, to, asOf: new Date() } as Redelivery;
    const replay = { ...window, ...positions };
    expect(await countSelected(tx, tenantId, replay)).toEqual({ total: 3, skipped: 0 });
    expect(await readBy(tx, () => countSelected(tx, tenantId, replay))).toBeLessThan(NOT_LOTS);
    expect(await readBy(tx, () => listSelected(tx, tenantId, replay))).toBeLessThan(NOT_LOTS);
    const sent = { ...replay, lastPosition: replay.endPosition };
    expect(await readBy(tx, () => isAnyLeft(tx, tenantId, sent))).toBeLessThan(NOT_LOTS);
  });
});

interface Many {
  count?: number;
  hoursAgo?: number;
  /** Undefined: each event has its own records. */
  record?: string;
  records?: number;
  waits: "queued" | "outbox" | "held" | "nothing";
}

async function insertMany(
  tx: Transaction,
  api: Api,
  connectionId: string,
  { count = MANY, hoursAgo = 0, record, records = 1, waits }: Many,
) {
  const { tenantId } = api.tenant;
  const at = Date.now() - hoursAgo * HOUR_MS;
  const idsOf = (number: number) => times(records, (one) => record ?? `${waits} ${number}-${one}`).join(",");
  const all = { tenant_id: tenantId, event_record: "Application", event_type: "Updated", occurred_on: new Date(at) };
  const events = times(count, (number) => ({ id: Bun.randomUUIDv7("hex", at), record_id: idsOf(number), ...all }));
  const added = await addRows<{ id: string; position: number; record_id: string }>("events", events, tx);
  await addRows(
    "payloads",
    added.map(({ id }) => ({ event_id: id, payload: "{}" })),
    tx,
  );
  const of = { tenant_id: tenantId, connection_id: connectionId, part: 1, state: STATES[waits] };
  const due_on = waits === "queued" ? new Date() : null;
  await addRows(
    "deliveries",
    added.map(({ id, position, record_id }) => ({
      ...{ id: crypto.randomUUID(), event_id: id, position, due_on, ...of },
      record: records === 1 ? recordKey("Application", record_id) : null,
    })),
    tx,
  );
}

/** Rows of the queue's tables and their indexes, read by this transaction. */
async function readBy(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const before = await rowsRead(["events", "deliveries"], tx);
  await work();
  return (await rowsRead(["events", "deliveries"], tx)) - before;
}

async function neverCommitted(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const done = new Error("done");
  await db()
    .begin(async (tx) => {
      await work(tx);
      throw done;
    })
    .catch((error) => {
      if (error !== done) throw error;
    });
}
