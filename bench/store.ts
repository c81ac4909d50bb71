// PostgreSQL's work for a change with one receiver: CPU, write-ahead log, index writes and disk space. Then the bloat of
// the tables. It runs the statements of the API and the worker, without their processes.
//
//   bun run bench store --changes=20000 --batch=1,25 --further=1000000

import { parseArgs } from "node:util";
import { connect } from "../server/platform/db/sql.ts";
import type { EventId } from "../server/platform/ids.ts";
import { insertEvent } from "../server/records/events/store.ts";
import { leaseDispatches, removeDispatches } from "../server/webhooks/deliveries/dispatch.store.ts";
import { startAttempts } from "../server/webhooks/deliveries/start-attempt.store.ts";
import { recordDelivered } from "../server/webhooks/deliveries/store.ts";
import { signIn } from "../test/world/api.ts";
import { startOwnApi } from "./own-api.ts";
import { cpuSeconds } from "./processes.ts";

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    changes: { type: "string", default: "20000" },
    batch: { type: "string", default: "1,25" },
    // Unmeasured changes before the bloat is shown once more.
    further: { type: "string", default: "0" },
  },
});
const [changes, further] = [options.changes, options.further].map(Number) as [number, number];
const batches = options.batch.split(",").map(Number);
const WARM_UP = 500;
const MAX_ATTEMPTS = 3;
const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/** Tables with rows that change or leave. */
const CHANGING = ["deliveries_open", "dispatches", "applications", "webhook_connections"];

await using api = await startOwnApi();
// One session, so that its CPU is that of the changes.
const sql = connect(api.databaseUrl, "gatehouse bench", 1);
const { tenantId } = api.tenant;
const client = await signIn(api.url, api.tenant);
await client.connect("https://receiver.example/");
const { Id } = await client.change({ Name: "Gate" });
await sql`delete from dispatches`;
await sql`create extension if not exists pg_walinspect`;
await sql`create extension if not exists pgstattuple`;
const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
for (const batch of batches) await measure(batch);
await showBloat();
if (further > 0) {
  for (let count = 0; count < further; count += batches.at(-1)!) {
    await change(batches.at(-1)!);
    if ((count + batches.at(-1)!) % 100_000 === 0) console.log(`${count + batches.at(-1)!} further changes`);
  }
  await showBloat();
}
await sql.end();

async function measure(batch: number): Promise<void> {
  for (let count = 0; count < WARM_UP; count += batch) await change(batch);
  await sql`checkpoint`;
  const before = await stateOf();
  const startedAt = performance.now();
  for (let count = 0; count < changes; count += batch) await change(batch);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await stateOf();
  const each = (value: number, digits = 0) => (value / changes).toFixed(digits);
  const wal = await sql<{ type: string; count: number; records: number; images: number }[]>`
    select "resource_manager/record_type" as type, count, record_size::float8 as records, fpi_size::float8 as images
    from pg_get_wal_stats(${before.lsn}, ${after.lsn}, true)`;
  const sum = (of: (one: (typeof wal)[number]) => number) => wal.reduce((total, one) => total + of(one), 0);
  const countOf = (kind: RegExp) => sum(({ type, count }) => (kind.test(type) ? count : 0));
  console.log(
    `${changes} changes, ${batch} at a time, ${(changes / seconds).toFixed(0)}/s. A change:\n` +
      `  CPU of its session ${each((after.cpu - before.cpu) * 1_000, 2)} ms\n` +
      `  WAL ${each(sum(({ records }) => records))} bytes, and ${each(sum(({ images }) => images))} of page images\n` +
      `  index writes ${each(countOf(/^Btree\/INSERT|^Btree\/DEDUP/), 1)}; rows inserted ${each(countOf(/^Heap\/INSERT/), 1)}, ` +
      `updated in place ${each(countOf(/HOT_UPDATE/), 1)}, updated ${each(countOf(/^Heap\/UPDATE/), 1)}, ` +
      `deleted ${each(countOf(/^Heap\/DELETE/), 1)}\n` +
      `  tables and indexes ${each(after.size - before.size)} bytes\n`,
  );
}

async function stateOf(): Promise<{ cpu: number; lsn: string; size: number }> {
  const [row] = await sql<{ lsn: string; size: number }[]>`
    select pg_current_wal_flush_lsn()::text as lsn, pg_database_size(current_database())::float8 as size`;
  return { cpu: await cpuSeconds(pid), ...row! };
}

/** From the request to the outbox's removal; the record itself is changed too. */
async function change(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    const eventId = Bun.randomUUIDv7() as EventId;
    const occurredOn = new Date();
    const Data = { Id, Name: "Gate", Description: "x".repeat(200), CreatedOn: occurredOn, ModifiedOn: occurredOn };
    const head = { TenantId: tenantId, EventType: "Updated", EventId: eventId, Version: "1.0", Timestamp: occurredOn };
    await sql.begin(async (tx) => {
      await tx`update applications set description = ${eventId}, sequence = sequence + 1 where id = ${Id as string}`;
      await insertEvent(tx, tenantId, {
        ...{ eventId, eventType: "Updated", eventRecord: "Application", recordIds: [String(Id)], sequences: [1] },
        payload: JSON.stringify({ ...head, EventRecord: "Application", EventResponse: "Object", Data }),
        ...{ recordName: "Gate", occurredOn, traceParent: TRACE },
      });
    });
  }
  const leased = await leaseDispatches(sql, count, count, []);
  const due = leased.flatMap(({ eventId, deliveries }) =>
    deliveries.map(({ deliveryId }) => ({
      ...{ tenantId, eventId, deliveryId },
      maximumAttempts: MAX_ATTEMPTS,
      startedBy: Bun.randomUUIDv7(),
    })),
  );
  const started = await startAttempts(sql, due, "skip");
  if (started.length !== count || !started.every(({ attempted }) => attempted)) throw new Error("not all were started");
  const attempt = {
    ...{ number: 1, startedOn: new Date(), durationMs: 5, statusCode: 200, failure: null },
    ...{ responseHeaders: "content-type: text/plain\ndate: Fri, 27 Nov 2026\ncontent-length: 2", responseBody: "ok" },
  };
  const delivered = due.map((one) => ({ ...one, attempt }));
  if ((await recordDelivered(sql, delivered)).size !== count) throw new Error("not all were recorded");
  await removeDispatches(
    sql,
    leased.map(({ id }) => id),
  );
}

async function showBloat(): Promise<void> {
  const ofChanging = sql`relname = any (${CHANGING}::text[])`;
  const tables = await sql`
    select relname as table, pg_relation_size(relid) / 1024 as "KiB", n_live_tup as live, n_dead_tup as dead,
      round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0))::int as "% HOT", autovacuum_count as vacuums
    from pg_stat_user_tables where ${ofChanging} order by relname`;
  const indexes = await sql`
    select indexrelname as index, pg_relation_size(indexrelid) / 1024 as "KiB", leaf_pages as leaves,
      deleted_pages as reusable, case when leaf_pages > 0 then round(avg_leaf_density)::int end as "% full"
    from pg_stat_user_indexes, pgstatindex(indexrelid::regclass)
    where ${ofChanging} order by pg_relation_size(indexrelid) desc`;
  console.table([...tables]);
  console.table([...indexes]);
}
