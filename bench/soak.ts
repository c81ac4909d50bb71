// Memory, handles, connections and disk during hours of steady changes. A table has a line for each report; the last
// lines compare the figures of the second quarter of the time, when all caches are warm, to those of the last quarter.
//
//   bun run bench soak --hours=2 --rate=20 --records=2000 --temporal-retention=1h --report=60

import { readdir, stat } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startArrivals } from "./arrivals.ts";
import { allocated, childrenOf, cpuSeconds } from "./processes.ts";
import { type Service, startService } from "./service.ts";

const MIB = 1024 * 1024;
/** Beyond this, an unanswered change is counted as late. */
const LATE_MS = 10_000;
const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    hours: { type: "string", default: "2" },
    rate: { type: "string", default: "20" },
    records: { type: "string", default: "2000" },
    "temporal-retention": { type: "string", default: "1h" },
    report: { type: "string", default: "60" },
  },
});
const seconds = Number(options.hours) * 3_600;
const [rate, records, report] = [options.rate, options.records, options.report].map(Number) as [number, number, number];

const counts = { changed: 0, refused: 0, late: 0 };
await using service = await startService({
  TEMPORAL_RETENTION: options["temporal-retention"],
  TOKEN_LIFETIME: "86400",
});
await using arrivals = startArrivals(1, service.certificate);
const tenant = await service.newTenant();
await tenant.request("POST", "/WebhookConnection", {
  Name: "soak",
  URL: arrivals.urls[0],
  Secret: "bench",
  Entities: ["Application"],
  Events: ["Created", "Updated"],
});

console.log(`${rate} changes/s of ${records} records for ${options.hours} h, with Temporal's data kept for`);
console.log(`${options["temporal-retention"]}; memory is in MiB and proportional, handles are open files`);
const began = performance.now();
const history: Figures[] = [];
const reporting = setInterval(async () => history.push(print(await figuresOf(service))), report * 1_000);
for (let index = 0; index < rate * seconds; index++) {
  const due = began + (index * 1_000) / rate;
  if (due > performance.now()) await Bun.sleep(due - performance.now());
  void change(index);
  if (index % rate === 0) void tenant.request("GET", "/Application?limit=20");
}
clearInterval(reporting);
compare(history);

async function change(index: number): Promise<void> {
  const sentAt = performance.now();
  const Description = `${index} ${"lorem ipsum ".repeat(20)}`;
  try {
    await tenant.change({ ExternalId: `record ${index % records}`, Description });
    counts.changed++;
  } catch {
    counts.refused++;
  }
  if (performance.now() - sentAt > LATE_MS) counts.late++;
}

type Figures = Record<string, number>;

async function figuresOf({ pids, sql, dataDir }: Service): Promise<Figures> {
  const [database] = await sql<{ connections: number; mib: number; wal: number; open: number }[]>`
    select (select count(*)::int from pg_stat_activity where datname is not null) as connections,
      pg_database_size(current_database())::float8 / ${MIB} as mib,
      (select sum(size) from pg_ls_waldir())::float8 / ${MIB} as wal,
      (select count(*)::int from deliveries where state in ('Pending', 'Retrying')) as open`;
  const parts = await Promise.all(
    Object.entries(pids).map(async ([name, pid]) => {
      const [memory, handles, cpu] = await Promise.all([allocated(pid), handlesOf(pid), cpuSeconds(pid)]);
      return { [`${name} MiB`]: memory, [`${name} handles`]: handles, [`${name} CPU s`]: cpu };
    }),
  );
  return {
    minutes: (performance.now() - began) / 60_000,
    ...counts,
    posts: arrivals.posts,
    open: database!.open,
    ...Object.assign({}, ...parts),
    connections: database!.connections,
    "database MiB": database!.mib,
    "WAL MiB": database!.wal,
    "temporal file MiB": await sizeOf(join(dataDir, "temporal")),
    "logs MiB": await sizeOf(join(dataDir, "logs")),
    load: loadavg()[0]!,
  };
}

function print(figures: Figures): Figures {
  console.log(
    Object.entries(figures)
      .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : value.toFixed(1)}`)
      .join(", "),
  );
  return figures;
}

function compare(history: Figures[]): void {
  const quarter = Math.floor(history.length / 4);
  const mean = (part: Figures[], name: string) => part.reduce((sum, each) => sum + each[name]!, 0) / part.length;
  console.log("\nfigure | second quarter | last quarter | ratio");
  for (const name of Object.keys(history.at(-1) ?? {})) {
    const [second, last] = [history.slice(quarter, 2 * quarter), history.slice(-quarter)].map((part) =>
      mean(part, name),
    );
    console.log(`${name} | ${second!.toFixed(1)} | ${last!.toFixed(1)} | ${(last! / second!).toFixed(2)}`);
  }
}

/** Open files of a process and its descendants. */
async function handlesOf(pid: number): Promise<number> {
  const own = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const children = await Promise.all((await childrenOf(pid)).map(handlesOf));
  return children.reduce((sum, count) => sum + count, own.length);
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size),
  );
  return sizes.reduce((sum: number, size) => sum + (size ?? 0), 0) / MIB;
}
