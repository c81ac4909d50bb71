// Kills parts of a Gatehouse one at a time, and restarts each.

import { rmSync } from "node:fs";
import { temporalFiles } from "../../server/appliance/embedded/processes.ts";
import type { StartedProcess } from "../support/process.ts";
import type { Stack } from "../support/stack.ts";
import type { Random } from "./random.ts";

export interface Kills {
  /** Kills by the part's name. */
  killed: Record<string, number>;
  /** The number of deletions of Temporal's whole store. */
  wiped: number;
}

/** A process that can be killed and restarted. */
export interface Victim {
  readonly pid: number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A process outside the stack. @param launch resolves when it is ready */
export function victim(launch: () => Promise<StartedProcess>): Victim {
  let running: StartedProcess | undefined;
  return {
    get pid() {
      return running?.pid;
    },
    async start() {
      running = await launch();
    },
    async stop() {
      await running?.[Symbol.asyncDispose]();
      running = undefined;
    },
  };
}

/**
 * Continues for this time, and at least until each part was killed. Half-way, Temporal's store is deleted once.
 * @param longestPause maximum milliseconds between two kills
 */
export async function killParts(
  stack: Stack,
  victims: Record<string, Victim>,
  seconds: number,
  longestPause: number,
  random: Random,
): Promise<Kills> {
  const kills: Kills = { killed: Object.fromEntries(Object.keys(victims).map((name) => [name, 0])), wiped: 0 };
  const began = performance.now();
  const share = () => (performance.now() - began) / (seconds * 1_000);
  while (share() < 1 || kills.wiped === 0) {
    for (const [name, each] of shuffled(Object.entries(victims), random)) {
      await Bun.sleep(random() * longestPause);
      const wipe = each === stack.parts.temporal && kills.wiped === 0 && share() >= 0.5;
      await kill(stack, each, wipe);
      kills.killed[name]!++;
      if (wipe) kills.wiped++;
    }
  }
  return kills;
}

async function kill(stack: Stack, each: Victim, wipe: boolean): Promise<void> {
  if (each.pid !== undefined) process.kill(each.pid, "SIGKILL");
  // Restarted by the test, because the supervisor delays frequent crashes.
  await each.stop();
  if (wipe) rmSync(temporalFiles(stack.dataDir).folder, { recursive: true });
  await each.start();
}

function shuffled<T>(items: T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
