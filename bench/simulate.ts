// Predicts by the model (model.ts) how long changes take with many workers. Tenants have Zipf sizes, some receivers hang,
// and the workers of a zone are lost. With --measure, the model is first compared to two real workers with that many
// changes per second, and one of them freezes. It fails if a figure differs by more than 15 %.
//
//   bun run bench simulate --measure=8 --rate=1000 --workers=20 --zones=3 --tenants=1000 --hanging=0.01 --seconds=120 --seed=1
//
// --cost: CPU milliseconds of a change for the API, the worker, PostgreSQL, Temporal and Temporal's PostgreSQL, from
// `bun run bench scale`.

import { parseArgs } from "node:util";
import { until } from "../test/world/api.ts";
import { startArrivals } from "./arrivals.ts";
import { startCluster } from "./cluster.ts";
import { type Arrival, type Outcome, PARTS, type Part, simulate, type World } from "./model.ts";
import { spread } from "./rounds.ts";

const TIMEOUT_MS = 10_000;
/** Between 5 and 9 s: a worker counts as lost 7 s after its last heartbeat, and the others look every 2 s. */
const NOTICED_MS = 7_000;
/** Utilisation for which the cores of the stores are chosen. */
const TARGET = 0.6;
const MAX_DEVIATION = 0.15;
/** Figures are means of that many runs of the workers and of the model, because a loss hits few changes. */
const [ROUNDS, SEEDS] = [5, 20];
/** After the loss of workers; changes of the second before are affected, too. */
const AFFECTED_SECONDS = 10;
const WARM_UP_ROUNDS = 12;
const PATIENCE_MS = 120_000;
const SPIN_MS = 5;

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    measure: { type: "string" },
    rate: { type: "string", default: "1000" },
    workers: { type: "string", default: "20" },
    zones: { type: "string", default: "3" },
    tenants: { type: "string", default: "1000" },
    hanging: { type: "string", default: "0.01" },
    seconds: { type: "string", default: "120" },
    seed: { type: "string", default: "1" },
    cost: { type: "string", default: "2.5,13.1,5.5,13.0,11.7" },
  },
});
const figure = (name: "rate" | "workers" | "zones" | "tenants" | "hanging" | "seconds" | "seed") =>
  Number(options[name]);
const MEASURED = {
  ...{ rate: Number(options.measure), seconds: 45, workers: 2, lost: { workers: 1, at: 30 } },
  ...{ tenants: 10, hanging: [3] },
};
const common = { seed: figure("seed"), noticedMs: NOTICED_MS, timeoutMs: TIMEOUT_MS };

if (options.measure !== undefined) process.exitCode = (await compare()) ? 0 : 1;
predict();

function predict(): void {
  const [rate, seconds, tenants, workers] = [figure("rate"), figure("seconds"), figure("tenants"), figure("workers")];
  const cost = costs(options.cost.split(",").map(Number));
  const coresFor = (part: Part) => Math.ceil((rate * cost[part]) / 1_000 / TARGET);
  const every = Math.round(1 / figure("hanging"));
  const world: World = {
    ...{ ...common, rate, seconds, tenants, workers, cost, answerMs: 50 },
    hanging: Array.from({ length: tenants }, (_, rank) => rank).filter((rank) => rank % every === every - 1),
    lost: { workers: Math.ceil(workers / figure("zones")), at: seconds / 2 },
    cores: {
      ...{ API: coresFor("API"), PostgreSQL: coresFor("PostgreSQL"), Temporal: coresFor("Temporal") },
      "Temporal's PostgreSQL": coresFor("Temporal's PostgreSQL"),
    },
  };
  const outcome = simulate(world);
  const { lost } = world;
  console.log(
    `\n${rate} changes/s of ${tenants} tenants, ${world.hanging.length} receivers hang; ${lost.workers} of ` +
      `${workers} workers are lost after ${lost.at} s; cores: ${Object.entries(world.cores!)
        .map(([part, cores]) => `${part} ${cores}`)
        .join(", ")}`,
  );
  const told = (name: string, took: number[]) =>
    console.log(
      `  ${name.padEnd(16)} p50 ${quantile(took, 0.5)} ms, p99 ${quantile(took, 0.99)} ms, longest ${quantile(took, 1)} ms`,
    );
  told("before", unaffected(outcome, lost.at));
  told("in the next 10 s", affected(outcome, lost.at));
  told("afterwards", between(outcome, lost.at + 2 * AFFECTED_SECONDS, seconds));
  console.log(
    `  posts to hanging receivers ${(outcome.hung.length / seconds).toFixed(0)}/s, missing ${outcome.missing}`,
  );
  console.log(`  used: ${PARTS.map((part) => `${part} ${(100 * outcome.used[part]).toFixed(0)} %`).join(", ")}`);
}

/** @returns whether the model agrees with two real workers */
async function compare(): Promise<boolean> {
  const due = evenArrivals(MEASURED);
  const { outcomes, stretch } = await measure(due);
  // Work takes longer while others use the machine.
  const cost = costs(options.cost.split(",").map((ms) => Number(ms) * stretch));
  const models = Array.from({ length: SEEDS }, (_, more) =>
    simulate({ ...common, ...MEASURED, arrivals: due, cost, answerMs: 2, seed: common.seed + more }),
  );
  console.log(
    `\ntwo workers, ${MEASURED.rate} changes/s, one of ${MEASURED.tenants} receivers hangs, one worker freezes; other ` +
      `load stretches work ${stretch.toFixed(1)} times`,
  );
  const { at } = MEASURED.lost;
  const figures: Record<string, (of: Outcome) => number> = {
    "p50 before, ms": (of) => quantile(unaffected(of, at), 0.5),
    "posts to the hanging receiver": ({ hung }) => hung.filter((second) => second < at).length,
    "mean after the loss, ms": (of) => meanOf(affected(of, at)),
    "longest after the loss, ms": (of) => quantile(affected(of, at), 1),
  };
  let agrees = true;
  for (const [name, of] of Object.entries(figures)) {
    const [real, modelled] = [meanOf(outcomes.map(of)), meanOf(models.map(of))];
    const deviation = modelled / real - 1;
    agrees &&= Math.abs(deviation) <= MAX_DEVIATION;
    console.log(
      `  ${name.padEnd(30)} measured ${real.toFixed(0)}, model ${modelled.toFixed(0)} (${(100 * deviation).toFixed(0)} %)`,
    );
  }
  return agrees;
}

async function measure(due: Arrival[]) {
  const { tenants, hanging, lost } = MEASURED;
  await using cluster = await startCluster(4);
  await using arrivals = startArrivals(tenants, cluster.certificate);
  await cluster.resize(1, MEASURED.workers);
  const clients = await Promise.all(Array.from({ length: tenants }, () => cluster.newTenant()));
  for (const [rank, client] of clients.entries()) await client.connect(arrivals.urls[rank]!);
  const send = async (rank: number) => {
    const [id, sentAt] = [Bun.randomUUIDv7(), performance.now()];
    await clients[rank]!.change({ ExternalId: id });
    return { id, rank, sentAt };
  };
  type Sent = Awaited<ReturnType<typeof send>>;
  const arrived = (sent: Sent[]) =>
    until("all to arrive", () => sent.every(({ id, rank }) => arrivals.at(id, rank)), PATIENCE_MS);
  for (let round = 0; round < WARM_UP_ROUNDS; round++)
    await arrived(await Promise.all(clients.map((_, rank) => send(rank))));
  arrivals.hang(hanging, 3 * TIMEOUT_MS);
  const posts = arrivals.posts;
  const isHealthy = ({ rank }: Sent) => !hanging.includes(rank);
  const stretches: number[] = [];
  const outcomes: Outcome[] = [];
  // Posts to hanging receivers are those of the first round; later ones also repeat its failures.
  let hung: number[] | undefined;
  while (outcomes.length < ROUNDS) {
    const began = performance.now();
    const sent: Promise<Sent>[] = [];
    for (const { at, tenant } of due) {
      await Bun.sleep(Math.max(0, began + at - performance.now()));
      sent.push(send(tenant));
      if (sent.length % MEASURED.rate === 0) stretches.push(stretchOf());
      if (sent.length === MEASURED.rate * lost.at) {
        const answered = (await Promise.all(sent)).filter((one) => isHealthy(one) && arrivals.at(one.id, one.rank));
        hung ??= Array.from({ length: arrivals.posts - posts - answered.length }, () => 0);
        process.kill(cluster.workers[0]!.pid, "SIGSTOP");
      }
    }
    const healthy = (await Promise.all(sent)).filter(isHealthy);
    await arrived(healthy);
    process.kill(cluster.workers[0]!.pid, "SIGCONT");
    const took = healthy.map(({ id, rank, sentAt }) => ({
      at: (sentAt - began) / 1_000,
      ms: arrivals.at(id, rank)! - sentAt,
    }));
    outcomes.push({ took, hung: hung!, missing: 0, used: costs([]) });
  }
  arrivals.release();
  return { outcomes, stretch: spread(stretches)[0] };
}

/** One after another, each of the tenant that is furthest behind its share. */
function evenArrivals({ rate, seconds, tenants }: Record<"rate" | "seconds" | "tenants", number>): Arrival[] {
  const shares = Array.from({ length: tenants }, (_, rank) => 1 / (rank + 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const credits = shares.map(() => 0);
  return Array.from({ length: rate * seconds }, (_, index) => {
    for (const rank of credits.keys()) credits[rank]! += shares[rank]! / total;
    const tenant = credits.indexOf(Math.max(...credits));
    credits[tenant]! -= 1;
    return { at: (index * 1_000) / rate, tenant };
  });
}

/** How much longer than its CPU time work takes. */
function stretchOf(): number {
  const [began, used] = [performance.now(), process.cpuUsage()];
  const cpu = () => {
    const { user, system } = process.cpuUsage(used);
    return (user + system) / 1_000;
  };
  while (cpu() < SPIN_MS);
  return (performance.now() - began) / cpu();
}

function costs(values: number[]): Record<Part, number> {
  return Object.fromEntries(PARTS.map((part, index) => [part, values[index]!])) as Record<Part, number>;
}

function between({ took }: Outcome, from: number, to: number): number[] {
  return took.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
}

function unaffected(outcome: Outcome, lostAt: number): number[] {
  return between(outcome, 0, lostAt - 1);
}

function affected(outcome: Outcome, lostAt: number): number[] {
  return between(outcome, lostAt - 1, lostAt + AFFECTED_SECONDS);
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

function meanOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
