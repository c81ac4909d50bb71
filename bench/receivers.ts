// The cost of a connection's options (a filter, fields, changed fields, former values) against a plain connection, and the
// speed of one consumer of a Pull connection.
//
//   bun run bench receivers --rate=25 --seconds=5 --rounds=5 --events=10000

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { fill } from "../test/world/rows.ts";
import { sendOpenLoop, settle, startArrivals } from "./arrivals.ts";
import { cpuSeconds } from "./processes.ts";
import { spread } from "./rounds.ts";
import { startService } from "./service.ts";

const PATIENCE_MS = 120_000;
const LIMIT = 200;

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: "string", default: "25" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    events: { type: "string", default: "10000" },
  },
});
const rounds = Number(options.rounds);
const events = Number(options.events);

await using service = await startService();
await using arrivals = startArrivals(1, service.certificate);

const OPTIONS = {
  Filter: 'resource.Name like "Gate*" && context.changed.contains("ExternalId")',
  Fields: ["Name", "ExternalId"],
  ChangedFields: true,
  Previous: true,
};
const sides = [await changing("plain", {}), await changing("with options", OPTIONS)];
for (const { round } of sides) await round();
const ratios: number[] = [];
for (let index = 0; index < rounds; index++) {
  const [plain, formed] = [await sides[0]!.round(), await sides[1]!.round()];
  ratios.push(formed / plain);
  console.log(`CPU a change with its delivery: plain ${plain.toFixed(2)} ms, with options ${formed.toFixed(2)} ms`);
}
const [middle] = spread(ratios);
console.log(`ratio ${middle.toFixed(3)} (aim: 1.05), load average ${loadavg()[0]!.toFixed(1)}\n`);

await pullAll();

/** @returns rounds, each with the CPU milliseconds of all parts for one change and its delivery */
async function changing(name: string, fields: Record<string, unknown>) {
  const tenant = await service.newTenant();
  const hook = { Name: name, URL: arrivals.urls[0], Entities: ["Application"], Events: ["Updated"], Secret: "bench" };
  await asked(tenant.fetch("POST", "/WebhookConnection", { ...hook, ...fields }));
  const { Id } = await asked<{ Id: string }>(tenant.fetch("POST", "/Application", { Name: "Gate 7" }));
  return {
    async round() {
      const before = await cpuOfAll();
      const load = await sendOpenLoop(
        Number(options.rate),
        Number(options.seconds),
        async (ExternalId) => void (await asked(tenant.fetch("PATCH", "/Application", { Id, ExternalId }))),
        () => [0],
      );
      const { delivered, missing } = await settle(arrivals, load.sent, PATIENCE_MS);
      if (missing + load.refused > 0) throw new Error(`${name}: refused ${load.refused}, missing ${missing}`);
      return (1_000 * ((await cpuOfAll()) - before)) / delivered;
    },
  };
}

async function pullAll(): Promise<void> {
  const tenant = await service.newTenant();
  const pulled = { Kind: "Pull", Name: "consumer", Entities: ["Application"], Events: ["Created"] };
  const { Id } = await asked<{ Id: string }>(tenant.fetch("POST", "/WebhookConnection", pulled));
  await fill(service.sql, {
    ...{ tenantId: tenant.id, connectionIds: [Id], events, spanMs: 3_600_000 },
    stateOf: () => "Held" as const,
  });
  const began = performance.now();
  let got = 0;
  while (got < events) {
    const path = `/WebhookConnection/${Id}`;
    const { Items } = await asked<{ Items: { EventId: string }[] }>(
      tenant.fetch("GET", `${path}/Events?Limit=${LIMIT}`),
    );
    const ack = { Upto: Items.at(-1)!.EventId };
    got += (await asked<{ Acknowledged: number }>(tenant.fetch("POST", `${path}/Ack`, ack))).Acknowledged;
  }
  const perSecond = (1_000 * got) / (performance.now() - began);
  console.log(
    `pull by one consumer: ${perSecond.toFixed(0)} events/s (aim: 1000), load average ${loadavg()[0]!.toFixed(1)}`,
  );
}

async function asked<T>(request: Promise<Response>): Promise<T> {
  const answer = await request;
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function cpuOfAll(): Promise<number> {
  const each = await Promise.all(Object.values(service.pids).map(cpuSeconds));
  return each.reduce((sum, one) => sum + one, 0);
}
