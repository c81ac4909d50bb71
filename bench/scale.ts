// The cost of a change for each part, by the number of APIs and workers: CPU, and PostgreSQL's transactions and
// write-ahead log. Gatehouse and Temporal have a PostgreSQL each, so their costs are separate. Each change is made when
// the previous one has arrived: several open ones would share claims and writes, the more the fewer workers there are.
//
//   bun run bench scale --only=4/1/1,4/1/4 --rate=20 --seconds=20 --rounds=1 --warm=300 --open=1
//
// --only: history shards of Temporal / APIs / workers; default: 4 and 16, 1 and 2, 1, 2 and 4. --rate: at most. --warm:
// changes for each process before its first measurement. --open: changes at a time. The cost at rest is measured before,
// and subtracted.

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Sql } from "../server/platform/db/sql.ts";
import { type Api, signIn, until } from "../test/world/api.ts";
import { startArrivals } from "./arrivals.ts";
import { startCluster } from "./cluster.ts";
import { PARTS, type Part } from "./model.ts";
import { cpuSeconds } from "./processes.ts";
import { spread } from "./rounds.ts";

const PATIENCE_MS = 120_000;
/** Idle sessions of PostgreSQL report their statistics after at most 10 s. */
const REST_MS = 11_000;
const [WARM_RATE, WARM_OPEN] = [40, 8];
const STORES = ["own", "Temporal's"] as const;
/** The costs of a change; CPU in milliseconds. */
type Cost = Record<string, number>;

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    only: {
      type: "string",
      default: [4, 16].flatMap((s) => [1, 2].flatMap((a) => [1, 2, 4].map((w) => `${s}/${a}/${w}`))).join(),
    },
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "20" },
    rounds: { type: "string", default: "1" },
    warm: { type: "string", default: "300" },
    open: { type: "string", default: "1" },
  },
});
const figures = [options.rate, options.seconds, options.rounds, options.warm, options.open].map(Number);
const [rate, seconds, rounds, warm, maxOpen] = figures as [number, number, number, number, number];
const scenes = options.only.split(",").map((scene) => {
  if (!/^[1-9]\d*\/[1-9]\d*\/[1-9]\d*$/.test(scene)) {
    console.error(`--only=${scene}: must be shards/APIs/workers such as 4/1/2, or several separated by commas.`);
    process.exit(2);
  }
  const [shards, apis, workers] = scene.split("/").map(Number) as [number, number, number];
  return { scene, shards, apis, workers };
});
const costs = new Map<string, Cost[]>();

for (const shards of new Set(scenes.map((scene) => scene.shards))) {
  await using installation = await install(shards);
  for (let round = 0; round < rounds; round++) {
    for (const { scene, apis, workers } of scenes.filter((each) => each.shards === shards)) {
      await installation.scale(apis, workers);
      costs.set(scene, [...(costs.get(scene) ?? []), await measure(installation, scene)]);
    }
  }
}
compare();

type Installation = Awaited<ReturnType<typeof install>>;

async function install(shards: number) {
  const cluster = await startCluster(shards);
  const arrivals = startArrivals(1, cluster.certificate);
  const clients: Api[] = [];
  const change = async (index: number) => {
    const [id, at] = [Bun.randomUUIDv7(), performance.now()];
    await clients[index % clients.length]!.change({ ExternalId: id });
    await until("its arrival", () => arrivals.at(id, 0), PATIENCE_MS);
    return arrivals.at(id, 0)! - at;
  };
  /** @returns the milliseconds until the arrival of each change */
  const deliver = async (perSecond: number, count: number, max = maxOpen) => {
    const began = performance.now();
    const took: Promise<number>[] = [];
    let open = 0;
    for (let index = 0; index < count; index++) {
      await Bun.sleep(Math.max(0, began + (index * 1_000) / perSecond - performance.now()));
      await until("room", () => open < max, PATIENCE_MS);
      open++;
      took.push(change(index).finally(() => open--));
    }
    return (await Promise.all(took)).toSorted((one, other) => one - other);
  };
  return {
    ...cluster,
    deliver,
    async scale(apis: number, workers: number) {
      const started = await cluster.resize(apis, workers);
      clients.splice(apis);
      for (const url of cluster.urls().slice(clients.length)) {
        if (clients.length > 0) clients.push(await signIn(url, clients[0]!.tenant));
        else {
          clients.push(await cluster.newTenant());
          await clients[0]!.connect(arrivals.urls[0]!);
        }
      }
      if (started > 0) await deliver(WARM_RATE, warm * Math.max(apis, workers), WARM_OPEN);
    },
    async [Symbol.asyncDispose]() {
      await arrivals[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

async function measure(installation: Installation, scene: string): Promise<Cost> {
  await Bun.sleep(REST_MS);
  const before = await stateOf(installation);
  await Bun.sleep(REST_MS);
  const rested = await stateOf(installation);
  const took = await installation.deliver(rate, rate * seconds);
  const after = await stateOf(installation);
  await Bun.sleep(REST_MS);
  const last = await stateOf(installation);
  const cost: Cost = {};
  const rest: Cost = {};
  for (const name of Object.keys(before.counts)) {
    rest[name] = (rested.counts[name]! - before.counts[name]!) / (rested.at - before.at);
    // The last transactions are counted late.
    const end = name.endsWith("transactions") ? last : after;
    cost[name] = (end.counts[name]! - rested.counts[name]! - rest[name] * (end.at - rested.at)) / took.length;
  }
  for (const [index, name] of STORES.entries()) {
    const log = await logBetween(installation.databases[index]!, rested.places[index]!, after.places[index]!);
    cost[`${name} WAL KiB`] = log.records / 1_024 / took.length;
    cost[`${name} page images KiB`] = log.images / 1_024 / took.length;
  }
  const line = (of: Cost, names: string[]) => names.map((name) => `${name} ${of[name]!.toFixed(2)}`).join(", ");
  const others = Object.keys(cost).filter((name) => !PARTS.includes(name as Part));
  const [shards, apis, workers] = scene.split("/");
  console.log(
    `\n${shards} shards, APIs: ${apis}, workers: ${workers}; ${took.length} changes in ${(after.at - rested.at).toFixed(0)} s, p50 ` +
      `${took[Math.floor(took.length / 2)]!.toFixed(0)} ms, longest ${took.at(-1)!.toFixed(0)} ms (load average ${loadavg()[0]!.toFixed(1)})\n` +
      `  CPU ms a change   ${line(cost, [...PARTS])}\n  of PostgreSQL     ${line(cost, others)}\n` +
      `  at rest, a second ${line(rest, Object.keys(rest))}`,
  );
  return cost;
}

/** CPU of each part in milliseconds, and the transactions and the place in the log of each PostgreSQL. */
async function stateOf({ databases, pids }: Installation) {
  const counts: Record<string, number> = {};
  const places: string[] = [];
  for (const [index, name] of STORES.entries()) {
    const [row] = await databases[index]!<{ transactions: number; place: string }[]>`
      select sum(xact_commit + xact_rollback)::float8 as transactions, pg_current_wal_flush_lsn()::text as place
      from pg_stat_database`;
    counts[`${name} transactions`] = row!.transactions;
    places.push(row!.place);
  }
  for (const [part, all] of Object.entries(pids())) {
    const each = await Promise.all(all.map(cpuSeconds));
    counts[part] = each.reduce((sum, used) => sum + used, 0) * 1_000;
  }
  return { at: performance.now() / 1_000, counts, places };
}

/** Bytes of the write-ahead log, without and with images of pages after a checkpoint. */
async function logBetween(sql: Sql, from: string, to: string): Promise<{ records: number; images: number }> {
  const [row] = await sql<{ records: number; images: number }[]>`
    select coalesce(sum(record_size), 0)::float8 as records, coalesce(sum(fpi_size), 0)::float8 as images
    from pg_get_wal_stats(${from}, ${to}, false)`;
  return row!;
}

/** The ratios of a part's cost to that with one worker and one API. */
function compare(): void {
  console.log("\nratios to the cost with one API and one worker (aim: at most 1.1)");
  const median = (scene: string, name: string) => spread((costs.get(scene) ?? []).map((cost) => cost[name]!))[0];
  for (const { scene, shards } of scenes) {
    const base = `${shards}/1/1`;
    if (scene === base || !costs.has(base)) continue;
    const names = Object.keys(costs.get(base)![0]!).filter((name) => !name.includes("images"));
    const ratios = names.map((name) => `${name} ${(median(scene, name) / median(base, name)).toFixed(2)}`);
    console.log(`  ${scene.padEnd(7)} ${ratios.join(", ")}`);
  }
}
