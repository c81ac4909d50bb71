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
      await tx`analyze events, deliveries`;
      const oldest = await listQueued(tx, Id, true, false);
      expect(oldest).toHaveLength(PAGE);
      expect(await rowsRead(tx, () => listQueued(tx, Id, true, false))).toBeLessThan(FEW);
      const seen = { position: oldest.at(-1)!.position, records: oldest.flatMap(({ records }) => records) };
      expect(await rowsRead(tx, () => listBeyond(tx, Id, "queue", seen))).toBeLessThan(FEW);
    });
  });

  test.each([1, 3])("undispatched ones are not read, with events of %d records each", async (records) => {
    const api = await newTenant();
    const { Id } = await api.connect(URL, { Order: "Record" });
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { waits: "outbox", records });
      await insertMany(tx, api, Id, { waits: "queued" });
      await insertMany(tx, api, Id, { waits: "held" });
      await tx`analyze events, deliveries`;
      const drain = { kind: "Drain", connectionId: Id } as Redelivery;
      expect(await rowsRead(tx, () => listQueued(tx, Id, true, false))).toBeLessThan(FEW);
      expect(await rowsRead(tx, () => listSelected(tx, api.tenant.tenantId, drain))).toBeLessThan(FEW);
      for (const waiting of ["queue", "Drain"] as const) {
        const beyond = () => listBeyond(tx, Id, waiting, { position: 0, records: [] });
        expect(await rowsRead(tx, beyond)).toBeLessThan(FEW);
      }
    });
  });

  test("other connections' open ones are not read, also with outdated statistics", async () => {
    const [api, other] = [await newTenant(), await newTenant()];
    const { Id } = await api.connect(URL, { Order: "Record" });
    const { Id: othersId } = await other.connect(URL);
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { waits: "held" });
      await tx`analyze events, deliveries`;
      await insertMany(tx, other, othersId, { waits: "outbox" });
      const drain = { kind: "Drain", connectionId: Id } as Redelivery;
      expect(await rowsRead(tx, () => listSelected(tx, api.tenant.tenantId, drain))).toBeLessThan(FEW);
      expect(await rowsRead(tx, () => listQueued(tx, Id, true, false))).toBeLessThan(FEW);
    });
  });

  test("counting deliveries in flight reads no undispatched ones", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(URL, { MaxInFlight: 2 });
    await neverCommitted(async (tx) => {
      await insertMany(tx, api, Id, { waits: "outbox" });
      await tx`analyze events, deliveries`;
      const [delivery] = await tx<{ id: DeliveryId }[]>`select id from deliveries where connection_id = ${Id} limit 1`;
      expect(await lockPosts(tx, api.tenant.tenantId, delivery!.id)).toBe(true);
      expect(await rowsRead(tx, () => lockPosts(tx, api.tenant.tenantId, delivery!.id))).toBeLessThan(FEW);
      expect(await rowsRead(tx, () => lockQueue(tx, Id))).toBeLessThan(FEW);
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
    await tx`analyze events, deliveries`;
    const positions = await positionsOf(tx, tenantId, from, to);
    const window = { kind: "Replay", connectionId, states: ["Delivered"], from, to, asOf: new Date() } as Redelivery;
    const replay = { ...window, ...positions };
    expect(await countSelected(tx, tenantId, replay)).toEqual({ total: 3, skipped: 0 });
    expect(await rowsRead(tx, () => countSelected(tx, tenantId, replay))).toBeLessThan(NOT_LOTS);
    expect(await rowsRead(tx, () => listSelected(tx, tenantId, replay))).toBeLessThan(NOT_LOTS);
    const sent = { ...replay, lastPosition: replay.endPosition };
    expect(await rowsRead(tx, () => isAnyLeft(tx, tenantId, sent))).toBeLessThan(NOT_LOTS);
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
  const age = tx`${-hoursAgo} * interval '1 hour'`;
  const prefix = record ?? `${waits} `;
  await tx`
    with event as (
      insert into events (id, tenant_id, event_record, event_type, record_id, occurred_on)
      select uuidv7(${age}), ${tenantId}, 'Application', 'Updated', ids.of, now() + ${age}
      from generate_series(1, ${count}::int) as number, lateral (
        select string_agg(${prefix} || case when ${!record} then number || '-' || one else '' end, ',') as of
        from generate_series(1, ${records}::int) as one
      ) as ids
      returning id, position, record_id
    ), payload as (
      insert into payloads select id, '{}' from event
    )
    insert into deliveries (id, tenant_id, event_id, connection_id, position, record, part, state, due_on)
    select gen_random_uuid(), ${tenantId}, id, ${connectionId}, position,
      case when ${records === 1} then record_key('Application', record_id) end, 1,
      ${STATES[waits]}, case when ${waits === "queued"} then now() end
    from event`;
}

/** Rows of the queue's tables and their indexes, read by this transaction. */
async function rowsRead(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const before = await allRead(tx);
  await work();
  return (await allRead(tx)) - before;
}

async function allRead(tx: Transaction): Promise<number> {
  const [row] = await tx<{ read: number }[]>`
    select sum(coalesce(pg_stat_get_xact_tuples_returned(c.oid), 0))::bigint as read from pg_class c
    left join pg_index i on i.indexrelid = c.oid
    where coalesce(i.indrelid, c.oid) in (
      select relid from pg_partition_tree('events') union all select relid from pg_partition_tree('deliveries'))`;
  return row!.read;
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
