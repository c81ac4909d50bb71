// Changes at a fixed rate, to one receiver and to several, compared to a bare Temporal workflow that posts the same bytes
// on the same Temporal server. Both are measured in turn, so other load on the machine affects both equally.
//
//   bun run bench webhooks --rates=25,50,100,200,400 --receivers=1,10 --seconds=5 --rounds=1 --own
//
// --patience: seconds to wait for the arrival of all deliveries (120). --own: measures Gatehouse only, to compare two
// versions by CPU per delivery.

import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Arrivals, type Latencies, type Load, sendOpenLoop, settle, startArrivals } from "./arrivals.ts";
import { startOther } from "./own-api.ts";
import { allocated, cpuSeconds } from "./processes.ts";
import { startService } from "./service.ts";

/** Changes before the measurement. */
const WARM_UP = { rate: 30, seconds: 3 };

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    rates: { type: "string", default: "25,50,100,200,400" },
    receivers: { type: "string", default: "1,10" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "1" },
    patience: { type: "string", default: "120" },
    own: { type: "boolean", default: false },
  },
});
const rates = options.rates.split(",").map(Number);
const fans = options.receivers.split(",").map(Number);
const seconds = Number(options.seconds);
const max = Math.max(...fans);

interface Side {
  name: string;
  pids: Record<string, number>;
  send(fan: number, id: string): Promise<void>;
}

await using service = await startService();
await using arrivals = startArrivals(max, service.certificate);
const tenants = new Map(
  await Promise.all(
    fans.map(async (fan) => {
      const tenant = await service.newTenant();
      await tenant.connect(arrivals.urls.slice(0, fan));
      return [fan, tenant] as const;
    }),
  ),
);
const own: Side = {
  name: "Gatehouse",
  pids: service.pids,
  send: (fan, id) => tenants.get(fan)!.change({ ExternalId: id }),
};
await measure(own, fans[0]!, WARM_UP.rate, 1);

await using bare = await startOther<{ url: string }>([process.execPath, join(import.meta.dir, "bare-temporal.ts")], {
  TEMPORAL_ADDRESS: service.temporalAddress,
  EGRESS_CA_FILE: service.certificate.caFile,
  RECEIVERS: JSON.stringify(arrivals.urls),
  SAMPLE: arrivals.sample!,
});
const floor: Side = {
  name: "bare Temporal",
  pids: { process: bare.pid, temporal: service.pids.temporal },
  async send(fan, id) {
    const answer = await fetch(bare.url, { method: "POST", body: JSON.stringify({ id, receivers: fan }) });
    if (!answer.ok) throw new Error(String(answer.status));
    await answer.text();
  },
};

const sides = options.own ? [own] : [own, floor];
for (const fan of fans) {
  for (const side of sides) await measure(side, fan, WARM_UP.rate / fan, WARM_UP.seconds);
  for (const rate of rates) {
    for (let round = 0; round < Number(options.rounds); round++) await compareAt(rate, fan);
  }
}
console.log("\nmemory (without shared pages)");
for (const [name, pid] of Object.entries({ ...own.pids, "bare Temporal": bare.pid })) {
  console.log(`  ${name.padEnd(14)} ${(await allocated(pid)).toFixed(0)} MiB`);
}

async function compareAt(rate: number, fan: number): Promise<void> {
  console.log(`\n${rate} changes/s, each to ${fan} (load average ${loadavg()[0]!.toFixed(1)})`);
  const speeds: number[] = [];
  for (const side of sides) {
    const measured = await measure(side, fan, rate, seconds);
    speeds.push(perSecond(measured.latencies));
    report(side, measured);
  }
  const [ours, theirs] = speeds;
  if (theirs) console.log(`  ${"ratio".padEnd(14)} ${(ours! / theirs).toFixed(2)} times the rate`);
}

interface Measured {
  load: Load;
  latencies: Latencies;
  /** CPU milliseconds of each process per delivery. */
  cpu: Record<string, number>;
}

async function measure(side: Side, fan: number, rate: number, duration: number): Promise<Measured> {
  const before = await cpuOf(side);
  const receivers = Array.from({ length: fan }, (_, index) => index);
  const load = await sendOpenLoop(
    rate,
    duration,
    (id) => side.send(fan, id),
    () => receivers,
  );
  const latencies = await settle(arrivals as Arrivals, load.sent, Number(options.patience) * 1_000);
  const after = await cpuOf(side);
  const cpu = Object.fromEntries(
    Object.keys(before).map((name) => [name, ((after[name]! - before[name]!) * 1_000) / latencies.delivered]),
  );
  return { load, latencies, cpu };
}

async function cpuOf({ pids }: Side): Promise<Record<string, number>> {
  const entries = Object.entries(pids).map(async ([name, pid]) => [name, await cpuSeconds(pid)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

function perSecond({ delivered, span }: Latencies): number {
  return (delivered * 1_000) / span;
}

function report({ name }: Side, { load, latencies, cpu }: Measured): void {
  const { p50, p99, missing } = latencies;
  const total = Object.values(cpu).reduce((sum, each) => sum + each, 0);
  const each = Object.entries(cpu).map(([part, ms]) => `${part} ${ms.toFixed(1)}`);
  const trouble = load.refused + missing > 0 ? `, refused ${load.refused}, missing ${missing}` : "";
  console.log(
    `  ${name.padEnd(14)} accepted ${load.sent.length}, delivered ${perSecond(latencies).toFixed(0)}/s, ` +
      `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, CPU a delivery ${total.toFixed(1)} ms ` +
      `(${each.join(", ")})${trouble}`,
  );
}
