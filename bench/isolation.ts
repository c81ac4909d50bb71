// The effect of slow receivers and bursts on other receivers and tenants, which are measured before and during the fault.
// "tenth", "hundredth" and "hundreds": some receivers hang. "burst": a tenant makes many changes at once. "late": all
// receivers take 400 ms to answer. "retries": the delay of second attempts beside a hanging receiver. "none" is the
// control without a fault: the difference between two equal measurements on this machine.
//
//   bun run bench isolation --only=none,tenth,hundredth,ten-hundredths,late,hundreds,hundreds-long,retries,burst --rate=20 --seconds=15 --rounds=3
//     --changes=10000

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Arrivals, type Latencies, type Sent, sendOpenLoop, settle, startArrivals } from "./arrivals.ts";
import { type Service, startService, type Tenant } from "./service.ts";

/** Longer than WEBHOOK_TIMEOUT, so that every attempt fails. */
const HANG_MS = 30_000;
const LATE_MS = 400;
const PATIENCE_MS = 120_000;
/** Not measured, because a new tenant's first changes cost more. */
const WARM_UP_SECONDS = 4;
/** Parallel changes of the burst. */
const BURST_LANES = 16;
const SINGLE_EVERY_MS = 250;
const RETRY_MS = 5_000;
/** The number of changes whose first delivery fails. */
const RETRIED = 30;
const POLL_MS = 50;
const [LOUD_TENANTS, LOUD_RECEIVERS, LOUD_CHANGES] = [6, 100, 20];

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    only: {
      type: "string",
      default: "none,tenth,hundredth,ten-hundredths,late,hundreds,hundreds-long,retries,burst",
    },
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "15" },
    rounds: { type: "string", default: "3" },
    changes: { type: "string", default: "10000" },
  },
});
const rate = Number(options.rate);
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const SCENARIOS: Record<string, () => Promise<void>> = {
  none: () => hanging("none of 10 receivers hangs", { tenants: 1, receivers: 10, hang: [] }),
  tenth: () => hanging("1 receiver of 10 hangs", { tenants: 1, receivers: 10, hang: [0] }),
  hundredth: () => hanging("1 receiver of 100 hangs", { tenants: 10, receivers: 10, hang: [0] }),
  "ten-hundredths": () =>
    hanging("10 receivers of 100 hang", {
      tenants: 10,
      receivers: 10,
      hang: Array.from({ length: 10 }, (_, index) => index * 10),
    }),
  late: () => hanging("10 receivers of 10 answer late", { tenants: 1, receivers: 10, hang: [], lateMs: LATE_MS }),
  hundreds: () => hundreds(10_000),
  "hundreds-long": () => hundreds(30_000),
  retries,
  burst,
};

for (const name of options.only.split(",")) await SCENARIOS[name]!();

interface Scene {
  tenants: number;
  /** Receivers of each tenant; each change goes to all of them. */
  receivers: number;
  hang: number[];
  /** The other receivers' response time in the second measurement. */
  lateMs?: number;
}

/** Each round starts a new service, because the previous round's failed deliveries are still being retried. */
async function hanging(title: string, scene: Scene): Promise<void> {
  console.log(`\n${title}, ${rate} changes/s for ${seconds} s`);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using service = await startService();
    const [without, during] = await measureRound(service, scene);
    ratios.push(during.p99 / without.p99);
    report("without", without);
    report("while it lasts", during);
    const ratio = (name: "p50" | "p99") => (during[name] / without[name]).toFixed(2);
    console.log(`  ratio          p50 ${ratio("p50")}, p99 ${ratio("p99")} (load average ${loadavg()[0]!.toFixed(1)})`);
  }
  const median = ratios.sort((x, y) => x - y)[Math.floor(rounds / 2)]!;
  console.log(`  median ratio   p99 ${median.toFixed(2)} (aim: 1.5)`);
}

async function measureRound(service: Service, { tenants, receivers, hang, lateMs }: Scene) {
  await using arrivals = startArrivals(tenants * receivers, service.certificate);
  const own = (tenant: number) => Array.from({ length: receivers }, (_, index) => tenant * receivers + index);
  const all = await Promise.all(
    Array.from({ length: tenants }, async (_, index) => {
      const tenant = await service.newTenant();
      await tenant.connect(own(index).map((receiver) => arrivals.urls[receiver]!));
      return tenant;
    }),
  );
  const measure = async (duration: number): Promise<Latencies> => {
    const { sent, refused } = await sendOpenLoop(
      rate,
      duration,
      (id, index) => all[index % tenants]!.change({ ExternalId: id }),
      (index) => own(index % tenants).filter((receiver) => !hang.includes(receiver)),
    );
    if (refused > 0) throw new Error(`${refused} changes were refused`);
    return settle(arrivals, sent, PATIENCE_MS);
  };
  await measure(WARM_UP_SECONDS);
  const without = await measure(seconds);
  if (lateMs) arrivals.hang([...Array(tenants * receivers).keys()], lateMs);
  arrivals.hang(hang, HANG_MS);
  const during = await measure(seconds);
  arrivals.release();
  return [without, during] as const;
}

/** Measures a tenant with a fast receiver, before and while six other tenants have 100 hanging receivers with backlogs. */
async function hundreds(hangMs: number): Promise<void> {
  console.log(`\n600 receivers of other tenants hang for ${hangMs / 1_000} s, ${rate} changes/s of a quick tenant`);
  await using service = await startService({ WEBHOOK_TIMEOUT: `${hangMs}ms` });
  await using arrivals = startArrivals(1 + LOUD_TENANTS * LOUD_RECEIVERS, service.certificate);
  const [quick, ...loud] = await Promise.all(Array.from({ length: 1 + LOUD_TENANTS }, () => service.newTenant()));
  const own = Array.from({ length: LOUD_TENANTS * LOUD_RECEIVERS }, (_, index) => index + 1);
  await quick!.connect([arrivals.urls[0]!]);
  for (const [index, tenant] of loud.entries()) {
    const first = 1 + index * LOUD_RECEIVERS;
    await tenant.connect(arrivals.urls.slice(first, first + LOUD_RECEIVERS));
  }
  const measure = async (duration: number): Promise<Latencies> => {
    const { sent } = await sendOpenLoop(
      rate,
      duration,
      (id) => quick!.change({ ExternalId: id }),
      () => [0],
    );
    return settle(arrivals, sent, PATIENCE_MS);
  };
  await measure(WARM_UP_SECONDS);
  const without = await measure(seconds);
  arrivals.hang(own, 10 * hangMs);
  for (let made = 0; made < LOUD_CHANGES; made++) {
    await Promise.all(loud.map((tenant) => tenant.change({ ExternalId: Bun.randomUUIDv7() })));
  }
  const during = await measure(3 * seconds);
  report("without", without);
  report("while it lasts", during);
  console.log(`  ratio p99      ${(during.p99 / without.p99).toFixed(2)} (aim: 1.5, load ${loadavg()[0]!.toFixed(1)})`);
  arrivals.release();
}

/** Measures the delay of second attempts at receivers that fail once, alone and beside a hanging receiver. */
async function retries(): Promise<void> {
  await using service = await startService({ WEBHOOK_RETRY_INITIAL_INTERVAL: `${RETRY_MS}ms` });
  await using arrivals = startArrivals(1, service.certificate);
  const tenant = await service.newTenant();
  const failed = new Map<string, number>();
  const late: number[] = [];
  await using failing = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: Bun.file(service.certificate.certFile), key: Bun.file(service.certificate.keyFile) },
    async fetch(request) {
      const key = `${new URL(request.url).pathname} ${/"ExternalId":"([^"]+)"/.exec(await request.text())![1]}`;
      const before = failed.get(key);
      if (before === undefined) failed.set(key, performance.now());
      else late.push(performance.now() - before - RETRY_MS);
      return new Response(undefined, { status: before === undefined ? 503 : 200 });
    },
  });
  const own = Array.from({ length: 9 }, (_, index) => `https://localhost:${failing.port}/${index}`);
  await tenant.connect([arrivals.urls[0]!, ...own]);
  const measure = async (name: string) => {
    late.length = 0;
    for (let made = 0; made < RETRIED; made++) {
      await tenant.change({ ExternalId: Bun.randomUUIDv7() });
      await Bun.sleep(1_000 / rate);
    }
    const deadline = performance.now() + PATIENCE_MS;
    while (late.length < RETRIED * own.length && performance.now() < deadline) await Bun.sleep(POLL_MS);
    late.sort((x, y) => x - y);
    const [p50, longest] = [late[Math.floor(late.length / 2)] ?? Number.NaN, late.at(-1) ?? Number.NaN];
    console.log(`  ${name.padEnd(14)} p50 ${p50.toFixed(0)} ms, longest ${longest.toFixed(0)} ms, of ${late.length}`);
  };
  console.log(`\nsecond attempts, after their time (load average ${loadavg()[0]!.toFixed(1)})`);
  await measure("without");
  arrivals.hang([0], HANG_MS);
  await measure("while one hangs");
  arrivals.release();
}

/** Measures a tenant's changes, one at a time, before and during a burst of a second tenant. */
async function burst(): Promise<void> {
  await using service = await startService();
  await using arrivals = startArrivals(2, service.certificate);
  const [loud, quiet] = await Promise.all([service.newTenant(), service.newTenant()]);
  await loud.connect([arrivals.urls[0]!]);
  await quiet.connect([arrivals.urls[1]!]);
  await singles(arrivals, quiet, Bun.sleep(2_000));
  const idle = await singles(arrivals, quiet, Bun.sleep(seconds * 1_000));
  const sent: Sent[] = [];
  const making = makeBurst(loud, Number(options.changes), sent);
  const draining = making.then(() => settle(arrivals, sent, 10 * PATIENCE_MS));
  const during = await singles(arrivals, quiet, draining);
  const drained = await draining;
  const perSecond = (drained.delivered * 1_000) / drained.span;
  console.log(`\na burst of ${options.changes} changes of another tenant (load average ${loadavg()[0]!.toFixed(1)})`);
  console.log(
    `  the burst      delivered ${drained.delivered} at ${perSecond.toFixed(0)}/s, missing ${drained.missing}`,
  );
  report("idle", idle);
  report("while it lasts", during);
  console.log(`  longest wait   ${(during.longest - idle.p50).toFixed(0)} ms beyond idle (aim: 1000)`);
}

async function singles(arrivals: Arrivals, tenant: Tenant, until: Promise<unknown>): Promise<Latencies> {
  let over = false;
  void until.finally(() => {
    over = true;
  });
  const sent: Sent[] = [];
  while (!over) {
    const single = { id: Bun.randomUUIDv7(), at: performance.now(), receivers: [1] };
    await tenant.change({ ExternalId: single.id });
    sent.push(single);
    await settle(arrivals, [single], PATIENCE_MS);
    await Bun.sleep(SINGLE_EVERY_MS);
  }
  return settle(arrivals, sent, PATIENCE_MS);
}

async function makeBurst(tenant: Tenant, changes: number, sent: Sent[]): Promise<void> {
  let made = 0;
  const lane = async () => {
    while (made++ < changes) {
      const each = { id: Bun.randomUUIDv7(), at: performance.now(), receivers: [0] };
      await tenant.change({ ExternalId: each.id });
      sent.push(each);
    }
  };
  await Promise.all(Array.from({ length: BURST_LANES }, lane));
}

function report(name: string, { p50, p99, longest, delivered, missing }: Latencies): void {
  const figures = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`;
  console.log(`  ${name.padEnd(14)} ${figures}, of ${delivered}${missing > 0 ? `, missing ${missing}` : ""}`);
}
