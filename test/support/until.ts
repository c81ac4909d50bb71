// Waiting for a condition. A wait in vain says what was seen last.

import { AsyncLocalStorage } from "node:async_hooks";
import { cpus } from "node:os";

/** A wait ends after the machine has been idle for so long, which takes longer beside other work. */
let patienceIdleMs = 15_000;
const PATIENCE_MS = 150_000;
/** Parts that were killed start again after a while. */
const RESTART_IDLE_MS = 60_000;
/** Polling costs the service CPU time, so long waits poll less often. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 500;
const MAX_LENGTH = 1_000;

type Truthy<T> = Exclude<T, false | undefined | null | 0 | "">;

/** The last thing of each kind that a condition saw. */
const sights = new AsyncLocalStorage<Map<string, () => string>>();

/**
 * Called by the helpers that a condition asks.
 * @param kind such as `GET /Endpoint/rest/api/v1/User`; a later sight of the same kind replaces it
 */
export function saw(kind: string, seen: () => string): void {
  sights.getStore()?.set(kind, seen);
}

/** Called by tests that start parts of their own. */
export function expectRestarts(): void {
  patienceIdleMs = RESTART_IDLE_MS;
}

/** Idle milliseconds of an average core since the machine's start. */
function idleTime(): number {
  const cores = cpus();
  return cores.reduce((sum, { times }) => sum + times.idle, 0) / cores.length;
}

/**
 * A limit in milliseconds, or the default patience.
 * @returns whether it has passed since this call
 */
function newPatience(limit?: number): () => boolean {
  const began = Date.now();
  const idleAtFirst = idleTime();
  return () => {
    const waited = Date.now() - began;
    if (limit !== undefined) return waited > limit;
    return waited > patienceIdleMs && (waited > PATIENCE_MS || idleTime() - idleAtFirst > patienceIdleMs);
  };
}

/** Repeats until the answer is truthy. @returns the answer */
export async function until<T>(what: string, condition: () => T | Promise<T>, limit?: number): Promise<Truthy<T>> {
  const began = Date.now();
  const isOver = newPatience(limit);
  const seen = new Map<string, () => string>();
  for (;;) {
    seen.clear();
    const answer = await sights.run(seen, condition);
    if (answer) return answer as Truthy<T>;
    const waited = Date.now() - began;
    if (isOver()) throw new Error(vain(what, waited, answer, condition, seen));
    await Bun.sleep(Math.min(Math.max(FIRST_POLL_MS, waited / 10), LAST_POLL_MS));
  }
}

function vain(
  what: string,
  waited: number,
  answer: unknown,
  condition: () => unknown,
  seen: Map<string, () => string>,
): string {
  const lines = [...seen].map(([kind, text]) => `  last ${kind}: ${shortened(text())}`);
  return [
    `Waited ${(waited / 1_000).toFixed(1)} s for ${what}.`,
    ...(lines.length > 0 ? lines : [`  last answer: ${Bun.inspect(answer)}`]),
    `  condition: ${shortened(String(condition).replace(/\s+/g, " "))}`,
  ].join("\n");
}

/** One line of a text. */
export function shortened(text: string, length = MAX_LENGTH): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)}… (${line.length} characters)`;
}
