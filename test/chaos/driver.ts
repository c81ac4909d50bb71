// Kills parts of a Gatehouse, one after the other, and brings each back.

import { rmSync } from "node:fs";
import type { PartName } from "../../server/embedded/installation.ts";
import { temporalFiles } from "../../server/embedded/leftovers.ts";
import type { Stack } from "../support/stack.ts";
import type { Random } from "./random.ts";

export interface Kills {
  killed: Record<PartName, number>;
  /** How often Temporal's whole store was deleted. */
  wiped: number;
}

const PARTS: PartName[] = ["worker", "api", "temporal", "postgresql"];

/**
 * Goes on for so long, and at least until each part was killed; from half-way on, once, Temporal's store is deleted.
 * @param longestPause milliseconds between two kills, at most
 */
export async function killParts(stack: Stack, seconds: number, longestPause: number, random: Random): Promise<Kills> {
  const kills: Kills = { killed: { worker: 0, api: 0, temporal: 0, postgresql: 0 }, wiped: 0 };
  const began = performance.now();
  const share = () => (performance.now() - began) / (seconds * 1_000);
  while (share() < 1 || kills.wiped === 0) {
    for (const name of shuffled(PARTS, random)) {
      await Bun.sleep(random() * longestPause);
      const wipe = name === "temporal" && kills.wiped === 0 && share() >= 0.5;
      await kill(stack, name, wipe);
      kills.killed[name]++;
      if (wipe) kills.wiped++;
    }
  }
  return kills;
}

async function kill(stack: Stack, name: PartName, wipe: boolean): Promise<void> {
  const part = stack.parts[name];
  if (part.pid !== undefined) process.kill(part.pid, "SIGKILL");
  // Stopped and started by hand, for what crashes often is brought back later and later.
  await part.stop();
  if (wipe) rmSync(temporalFiles(stack.dataDir).folder, { recursive: true });
  await part.start();
}

function shuffled<T>(items: T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
