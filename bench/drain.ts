// The speed and the order in which a resumed connection sends its held deliveries while changes continue.
//
//   bun run bench drain --held=1000 --rate=20 --seconds=20 --records=10 --patience=120

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startService } from "./service.ts";

const LOOK_MS = 2_000;
/** Parallel changes before the connection is resumed. */
const LANES = 8;

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    held: { type: "string", default: "1000" },
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "20" },
    records: { type: "string", default: "10" },
    patience: { type: "string", default: "120" },
  },
});
const [held, rate, seconds, records] = [options.held, options.rate, options.seconds, options.records].map(Number) as [
  number,
  number,
  number,
  number,
];

await using service = await startService();
const tenant = await service.newTenant();
/** The numbers of each record's changes, in order of arrival. */
const came = new Map<string, number[]>();
using server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { cert: Bun.file(service.certificate.certFile), key: Bun.file(service.certificate.keyFile) },
  async fetch(request) {
    const { Data } = (await request.json()) as { Data: { Id: string } };
    const sequences = came.get(Data.Id) ?? [];
    came.set(Data.Id, sequences);
    sequences.push(Number(request.headers.get("webhook-sequence")));
    return new Response("ok");
  },
});
const { body } = await tenant.request("POST", "/WebhookConnection", {
  Name: "drained",
  URL: `https://localhost:${server.port}/`,
  State: "Paused",
  Entities: ["Application"],
  Events: ["Created", "Updated"],
});
const { Id } = body as { Id: string };
// The worker is stopped while deliveries are held, so no workflow starts for them.
process.kill(service.pids.worker, "SIGSTOP");
let made = 0;
const changeOne = () => tenant.change({ ExternalId: `record ${made % records}`, Name: `change ${made++}` });
await Promise.all(
  Array.from({ length: LANES }, async () => {
    while (made < held) await changeOne();
  }),
);
await service.sql`delete from dispatches`;
process.kill(service.pids.worker, "SIGCONT");

console.log(`\n${made} held, ${rate} changes/s while they are sent (load average ${loadavg()[0]!.toFixed(1)})`);
await tenant.request("PATCH", "/WebhookConnection", { Id, State: "Active" });
const began = performance.now();
const elapsed = () => performance.now() - began;
let looked = 0;
const pending: Promise<void>[] = [];
while (elapsed() < Number(options.patience) * 1_000) {
  if (elapsed() < seconds * 1_000) pending.push(changeOne());
  else if (arrived() >= made) break;
  if (elapsed() - looked > LOOK_MS) {
    looked = elapsed();
    console.log(`  after ${(looked / 1_000).toFixed(0).padStart(3)} s   ${made - arrived()} left`);
  }
  await Bun.sleep(1_000 / rate);
}
await Promise.all(pending);
const late = [...came.values()].reduce((sum, sequences) => sum + outOfOrder(sequences), 0);
const stale = [...came.values()].filter((sequences) => sequences.at(-1)! < Math.max(...sequences)).length;
console.log(`  ${arrived()} of ${made} arrived in ${(elapsed() / 1_000).toFixed(1)} s`);
console.log(`  out of order ${((100 * late) / arrived()).toFixed(1)} %, last state stale for ${stale} of ${records}`);

function arrived(): number {
  return [...came.values()].reduce((sum, sequences) => sum + sequences.length, 0);
}

function outOfOrder(sequences: number[]): number {
  let newest = 0;
  return sequences.filter((sequence) => {
    const isLate = sequence < newest;
    newest = Math.max(newest, sequence);
    return isLate;
  }).length;
}
