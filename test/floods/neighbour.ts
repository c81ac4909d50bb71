// Another tenant, whose requests must be answered beside a flood.

import { expect } from "bun:test";
import type { Api } from "../world/api.ts";

/** A busy machine answers late. */
export const FLOOR_MS = 1_000;

/** Milliseconds of the slowest of this caller's requests until the work is done. */
export async function slowestOf(caller: Api, work: Promise<unknown>): Promise<number> {
  let [isDone, slowest] = [false, 0];
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const began = performance.now();
    const { status } = await caller.get("/Department?Limit=1");
    expect(status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
  }
  await done;
  return slowest;
}
