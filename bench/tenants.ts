// The effect of one tenant's attack on a second tenant that shares the service. Before and during each attack of
// bench/attacks.ts, it measures the second tenant's requests, one at a time. For attacks on deliveries, it measures the
// time from a change to its arrival at a fast receiver, at a fixed rate.
//
// An attack's data slows the attacks that follow. For figures of a single attack, run it alone.
//
//   bun run bench tenants --seconds=10 --rate=10
//     --only=nothing,policies,lists,passwords,exports,search,bulk,deletion,silence,receivers,names

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startNameServer } from "../test/support/dns.ts";
import { sendOpenLoop, settle, startArrivals } from "./arrivals.ts";
import { ATTACKS, type Attack, HANGING_RECEIVERS, isHangingName, type Scene } from "./attacks.ts";
import { startService } from "./service.ts";

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: Object.keys(ATTACKS).join() },
    seconds: { type: "string", default: "10" },
    rate: { type: "string", default: "10" },
  },
});
const seconds = Number(options.seconds);
const WARM_UP_SECONDS = 3;
const PATIENCE_MS = 60_000;

interface Figures {
  p50: number;
  p99: number;
  longest: number;
  /** The kind and the number of measurements. */
  of: string;
}

using names = await startNameServer((name) => (isHangingName(name) ? "hang" : "nowhere"));
await using service = await startService({ EGRESS_DNS: names.address });
await using arrivals = startArrivals(1 + HANGING_RECEIVERS, service.certificate);
const other = await service.newTenant();
await other.connect([arrivals.urls[0]!]);
await measureRequests(WARM_UP_SECONDS);
for (const name of options.only.split(",")) await besides(ATTACKS[name]!);

async function besides(attack: Attack): Promise<void> {
  const scene: Scene = { service, arrivals, attacker: await service.newTenant() };
  await attack.prepare?.(scene);
  await service.sql`analyze`;
  const measure = attack.measured === "deliveries" ? measureDeliveries : measureRequests;
  // Deliveries of earlier changes are still open and go first.
  if (measure === measureDeliveries) await measure(WARM_UP_SECONDS);
  const without = await measure(seconds);
  let isOver = false;
  const attacking = attack.run(scene, () => isOver);
  const during = await measure(seconds);
  isOver = true;
  const outcome = await attacking;
  console.log(`\n${attack.title}`);
  report("without", without);
  report("beside it", during);
  const ratio = (name: "p50" | "p99") => (during[name] / without[name]).toFixed(2);
  console.log(`  ratio       p50 ${ratio("p50")}, p99 ${ratio("p99")} (load average ${loadavg()[0]!.toFixed(1)})`);
  if (outcome) console.log(`  the attack  ${outcome}`);
}

/** Alternates a read and a change. */
async function measureRequests(forSeconds: number): Promise<Figures> {
  const end = performance.now() + 1_000 * forSeconds;
  const times: number[] = [];
  while (performance.now() < end) {
    const asked = performance.now();
    if (times.length % 2 === 0) await other.change({ Name: "measured", Description: String(times.length) });
    else await other.request("GET", "/Application?Name=measured");
    times.push(performance.now() - asked);
  }
  times.sort((one, another) => one - another);
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => times[Math.floor(share * (times.length - 1))]!);
  return { p50: p50!, p99: p99!, longest: longest!, of: `${times.length} requests` };
}

/** The time from a change to its first arrival. */
async function measureDeliveries(forSeconds: number): Promise<Figures> {
  const { sent, refused } = await sendOpenLoop(
    Number(options.rate),
    forSeconds,
    (id) => other.change({ ExternalId: id }),
    () => [0],
  );
  if (refused > 0) throw new Error(`${refused} changes were refused`);
  const { missing, delivered, ...times } = await settle(arrivals, sent, PATIENCE_MS);
  return { ...times, of: `${delivered} deliveries${missing > 0 ? `, missing ${missing}` : ""}` };
}

function report(name: string, { p50, p99, longest, of }: Figures): void {
  const [median, high, max] = [p50, p99, longest].map((time) => time.toFixed(1));
  console.log(`  ${name.padEnd(11)} p50 ${median} ms, p99 ${high} ms, longest ${max} ms, of ${of}`);
}
