// A process with a wrong clock says so: in /readyz, the log and the metrics.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import type { Readiness } from "../../server/platform/http/health.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { until } from "../world/api.ts";
import { setting } from "../world/tenant.ts";

const CLOCK = ["--preload", join(import.meta.dir, "../oauth/clock-ahead.ts")];
const ENTRIES = { API: "server/serve.ts", worker: "activities/worker.ts" };

const reserved = new Set<number>();
const started: StartedProcess[] = [];
afterAll(async () => {
  await Promise.all(started.map((each) => each[Symbol.asyncDispose]()));
});

async function start(entry: string, aheadMs: number) {
  const [port, metrics] = [await nextFreePort(0, "127.0.0.1", reserved), await nextFreePort(0, "127.0.0.1", reserved)];
  const env = {
    ...{ DATABASE_URL: setting("GATEHOUSE_TEST_DATABASE_URL"), MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY") },
    // Deliveries of other tests stay with the right clocks.
    ...{ TEMPORAL_ADDRESS: "127.0.0.1:1", CLOCK_AHEAD_MS: String(aheadMs) },
    ...{ PORT: String(port), WORKER_PORT: String(port), METRICS_PORT: String(metrics) },
  };
  const process = startProcess(entry, env, CLOCK);
  started.push(process);
  const readyz = async () => (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as Readiness;
  const offset = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    return Number(/^gatehouse_clock_offset_seconds (.+)$/m.exec(text)?.[1]);
  };
  return { process, readyz, offset };
}

const reasonsOf = ({ reasons }: Readiness) => reasons.filter((reason) => reason.includes("clock"));

test.concurrent.each([
  ["API", 600_000, "ahead of"],
  ["worker", 600_000, "ahead of"],
  ["worker", -90_000, "behind"],
] as const)("the %s reports a clock that differs by %d ms", async (name, aheadMs, words) => {
  const { process, readyz, offset } = await start(ENTRIES[name], aheadMs);
  const pattern = new RegExp(
    `^This process's clock is (\\d+) s ${words} PostgreSQL's: receivers reject signatures. Synchronize the clocks.$`,
  );
  // On a slow machine, the round trip explains some of the difference.
  const isNear = (seconds: unknown) => Math.abs(Math.abs(Number(seconds)) - Math.abs(aheadMs) / 1_000) <= 10;
  const line = await process.said((message) => isNear(pattern.exec(message)?.[1]));
  expect(line.level).toBe(50);
  const readiness = await until("the reason", async () => {
    const seen = await readyz().catch(() => undefined);
    return seen && reasonsOf(seen).length > 0 && seen;
  });
  const [reason, ...others] = reasonsOf(readiness);
  expect([isNear(pattern.exec(reason!)?.[1]), others]).toEqual([true, []]);
  expect(["degraded", "unavailable"]).toContain(readiness.status);
  const measured = await offset();
  expect([isNear(measured), Math.sign(measured)]).toEqual([true, Math.sign(aheadMs)]);
});

test.concurrent("a difference of half a minute is only measured", async () => {
  const { readyz, offset } = await start(ENTRIES.API, 30_000);
  await until("the measurement", async () => (await offset().catch(() => 0)) > 25);
  expect(reasonsOf(await readyz())).toEqual([]);
});
