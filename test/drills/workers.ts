// PostgreSQL's cost of a change, by the number of workers.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../server/platform/db/sql.ts";
import type { Drill } from "../support/drill.ts";
import { makeChanges } from "../support/ledger.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const COUNTS = [1, 2, 10, 20];
const CHANGES = 200;
const PAUSE_MS = 60;
/**
 * Changes for each worker before the measurement: PostgreSQL plans a statement's first five runs on each connection.
 */
const WARM_UP = 60;
const REST_MS = 5_000;
/** The clock tick of /proc, which is the same on every Linux. */
const TICK_MS = 10;
/** Twenty workers need more than PostgreSQL's default of 100. */
const CONNECTIONS = 500;
const JUDGED = 10;
/** The maximum cost of each further worker: PostgreSQL wakes every listening session, which takes 0.1 to 0.15 ms. */
const MAX_MORE_MS = 0.2;

export const workers: Drill = {
  what: "what a change costs PostgreSQL with 1, 2, 10 and 20 workers (Linux)",
  async run(say) {
    await using stack = await startStack();
    await allowConnections(stack);
    await using receiver = startReceiver(200, { dataDir: stack.dataDir });
    const api = await newTenant(stack);
    await api.connect(receiver.url);
    await using more = new AsyncDisposableStack();
    const env = {
      ...{ DATABASE_URL: stack.databaseUrl, MASTER_KEY: stack.masterKey, TEMPORAL_ADDRESS: stack.temporalAddress },
      ...{ EGRESS_ALLOW: "127.0.0.0/8", EGRESS_CA_FILE: join(stack.dataDir, "receiver", "ca.pem") },
    };
    const costs = new Map<number, number>();
    let running = 1;
    for (const count of COUNTS) {
      const started: StartedProcess[] = [];
      for (; running < count; running++) started.push(more.use(startProcess("activities/worker.ts", env)));
      await Promise.all(started.map((worker) => worker.said((message) => message === "worker ready")));
      const warm = receiver.calls.length + WARM_UP * count;
      const changed = { change: (fields: object) => api.change({ ...fields, Description: `${count} workers` }) };
      await makeChanges(changed, (made) => made >= WARM_UP * count);
      await until("the workers to be warm", () => receiver.calls.length >= warm, 120_000);
      await Bun.sleep(REST_MS);
      const [resting, restBegan] = [cpuOf(stack.parts.postgresql.pid!), performance.now()];
      await Bun.sleep(REST_MS);
      const perMs = (cpuOf(stack.parts.postgresql.pid!) - resting) / (performance.now() - restBegan);
      const [before, began, arrived] = [cpuOf(stack.parts.postgresql.pid!), performance.now(), receiver.calls.length];
      for (let change = 0; change < CHANGES; change++) {
        await api.change({ Name: "Gate", Description: `${count} ${change}` });
        await Bun.sleep(PAUSE_MS);
      }
      await until("all to arrive", () => receiver.calls.length >= arrived + CHANGES);
      const used = cpuOf(stack.parts.postgresql.pid!) - before - perMs * (performance.now() - began);
      costs.set(count, used / CHANGES);
      say(
        `${count} workers: ${(used / CHANGES).toFixed(2)} ms of PostgreSQL a change; ${(perMs * 1000).toFixed(1)} ms a second at rest`,
      );
    }
    const [two, max] = [costs.get(2)!, costs.get(JUDGED)!];
    const summary = [...costs].map(([count, cost]) => `${count}: ${cost.toFixed(2)} ms`).join(", ");
    return {
      passed: (max - two) / (JUDGED - 2) <= MAX_MORE_MS,
      summary: `PostgreSQL's CPU a change by workers: ${summary}`,
    };
  },
};

/** Milliseconds of CPU of a process and all its children, including ended ones. */
function cpuOf(pid: number): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        // "pid (name) state parent …". The name may contain spaces and brackets.
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ id: Number(name), parent: Number(fields[1]), times: fields.slice(11, 15).map(Number) }];
      } catch {
        return [];
      }
    });
  const own = stats.find(({ id }) => id === pid)!.times;
  const children = stats.filter(({ parent }) => parent === pid).map(({ times }) => times[0]! + times[1]!);
  return (own.reduce((sum, ticks) => sum + ticks, 0) + children.reduce((sum, ticks) => sum + ticks, 0)) * TICK_MS;
}

async function allowConnections({ databaseUrl, parts }: Stack): Promise<void> {
  const sql = connect(databaseUrl, "gatehouse drill", 1);
  await sql.unsafe(`alter system set max_connections = ${CONNECTIONS}`);
  await sql.end();
  await parts.postgresql.stop();
  await parts.postgresql.start();
}
