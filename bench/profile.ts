// CPU and waits under more changes than can be delivered: CPU per change by process and thread, the machine's idle time,
// and the activity of PostgreSQL's connections.
//
//   bun run bench profile --rate=200 --seconds=8 --receivers=1 --tenants=1

import { parseArgs } from "node:util";
import { sendOpenLoop, settle, startArrivals } from "./arrivals.ts";
import { cpuSeconds, cpuSecondsOfThreads, machineSeconds } from "./processes.ts";
import { startService } from "./service.ts";

const WARM_UP = { rate: 30, seconds: 4 };
const SAMPLE_MS = 50;
/** Threads that use a smaller share of a core are not listed. */
const MIN_SHARE = 0.02;
const PATIENCE_MS = 120_000;

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: "string", default: "200" },
    seconds: { type: "string", default: "8" },
    receivers: { type: "string", default: "1" },
    tenants: { type: "string", default: "1" },
  },
});
const fan = Number(options.receivers);

await using service = await startService();
await using arrivals = startArrivals(fan, service.certificate);
const tenants = await Promise.all(Array.from({ length: Number(options.tenants) }, () => service.newTenant()));
for (const tenant of tenants) await tenant.connect(arrivals.urls);
const pids: Record<string, number> = { ...service.pids, "this bench": process.pid };

await deliver(WARM_UP.rate, WARM_UP.seconds);
const [before, waits] = [await figures(), sampleWaits()];
const { delivered, span, missing } = await deliver(Number(options.rate), Number(options.seconds));
const [after, waiting] = [await figures(), await waits.stop()];

const seconds = after.at - before.at;
const share = (used: number) => `${((used / seconds) * 100).toFixed(0)} %`;
console.log(
  `\n${(delivered / (span / 1_000)).toFixed(0)} deliveries a second${missing > 0 ? `, missing ${missing}` : ""}`,
);
console.log("\nCPU per delivery");
for (const name of Object.keys(pids)) {
  const used = after.cpu[name]! - before.cpu[name]!;
  console.log(
    `  ${name.padEnd(17)} ${`${((used * 1_000) / delivered).toFixed(1)} ms`.padStart(10)}  ${share(used).padStart(9)}`,
  );
  const threads = after.threads[name]!.map(({ id, thread, cpu }) => {
    return { thread, used: cpu - (before.threads[name]!.find((earlier) => earlier.id === id)?.cpu ?? 0) };
  });
  for (const { thread, used: own } of threads.toSorted((a, b) => b.used - a.used)) {
    if (own / seconds >= MIN_SHARE) console.log(`    ${thread.padEnd(26)}  ${share(own).padStart(9)}`);
  }
}
console.log("\nthe machine's cores");
const all = Object.values(after.machine).reduce((sum, state) => sum + state, 0);
const earlier = Object.values(before.machine).reduce((sum, state) => sum + state, 0);
for (const [state, time] of Object.entries(after.machine)) {
  const part = (time - before.machine[state]!) / (all - earlier);
  console.log(`  ${state.padEnd(17)} ${`${(part * 100).toFixed(0)} %`.padStart(5)}`);
}
console.log("\nconnections of PostgreSQL, on average");
for (const [what, count] of Object.entries(waiting)) console.log(`  ${what.padEnd(40)} ${count.toFixed(2)}`);

async function deliver(rate: number, duration: number) {
  const receivers = Array.from({ length: fan }, (_, index) => index);
  const load = await sendOpenLoop(
    rate,
    duration,
    (id, index) => tenants[index % tenants.length]!.change({ ExternalId: id }),
    () => receivers,
  );
  return settle(arrivals, load.sent, PATIENCE_MS);
}

async function figures() {
  const each = async <T>(ask: (pid: number) => Promise<T>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(pids).map(async ([name, pid]) => [name, await ask(pid)] as const)),
    );
  return {
    at: performance.now() / 1_000,
    // For this process only its own CPU, because the parts are its children.
    cpu: await each((pid) => (pid === process.pid ? ownCpuSeconds() : cpuSeconds(pid))),
    threads: await each(cpuSecondsOfThreads),
    machine: await machineSeconds(),
  };
}

async function ownCpuSeconds(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Samples the state and the waits of active connections, by application. */
function sampleWaits() {
  const counts: Record<string, number> = {};
  let samples = 0;
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      const rows = await service.sql<{ what: string; count: number }[]>`
        select application_name || ': ' || case
          when state = 'idle in transaction' then 'in a transaction, idle'
          else coalesce(wait_event_type || ' ' || wait_event, 'at work') end as what, count(*)::int as count
        from pg_stat_activity
        where state in ('active', 'idle in transaction') and pid <> pg_backend_pid() group by 1`;
      for (const { what, count } of rows) counts[what] = (counts[what] ?? 0) + count;
      samples++;
      await Bun.sleep(SAMPLE_MS);
    }
  })();
  return {
    async stop(): Promise<Record<string, number>> {
      isOver = true;
      await sampling;
      const averages = Object.entries(counts).map(([what, count]) => [what, count / samples] as const);
      return Object.fromEntries(averages.toSorted(([, a], [, b]) => b - a));
    },
  };
}
