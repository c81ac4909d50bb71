// The two parts that are Gatehouse itself: the worker and the API, each a process of its own.

import { join } from "node:path";
import { PROJECT_ROOT, type ShutdownConfig } from "../config.ts";
import { type Readiness, STARTING } from "../http/health.ts";
import type { PartSpec } from "./part.ts";
import { requireListener } from "./ports.ts";

const WORKER = join(PROJECT_ROOT, "activities", "worker.ts");
const API = join(PROJECT_ROOT, "server", "serve.ts");
const ANSWER_LIMIT = 5_000;
/** What an API needs beyond its requests to end. */
const CLOSING_MS = 2_000;

/** Where the child's log goes: to ours, or to an open file. */
export type LogOutput = "inherit" | number;

/** How a process of ours runs. */
export interface Run {
  env: Record<string, string | undefined>;
  output: LogOutput;
  /** It begins anew when one of its files changes. */
  watch: boolean;
}

/** METRICS_PORT is the API's; the worker, in the same environment, has the next one. */
export function workerPart(run: Run): PartSpec {
  const port = run.env.METRICS_PORT;
  const env = port ? { ...run.env, METRICS_PORT: String(Number(port) + 1) } : run.env;
  return {
    name: "worker",
    // Whether it polls is seen through /readyz, not from here: it may have to wait for Temporal first.
    ready: () => Promise.resolve(),
    patience: 1_000,
    stop: [{ signal: "SIGTERM", grace: 3_500 }],
    spawn: () => spawnOwn(WORKER, { ...run, env }),
  };
}

export function apiPart(run: Run, localUrl: string, { delay, grace }: ShutdownConfig): PartSpec {
  return {
    name: "API",
    ready: async (child) => {
      await requireListener(child.pid, Number(run.env.PORT));
      const { reasons } = await readiness(localUrl);
      if (reasons.includes(STARTING)) throw new Error(STARTING);
    },
    patience: 30_000,
    stop: [{ signal: "SIGTERM", grace: delay + grace + CLOSING_MS }],
    spawn: () => spawnOwn(API, run),
  };
}

/** What /readyz says, whatever its status code. */
export async function readiness(localUrl: string): Promise<Readiness> {
  // This machine is not reached through the proxy that the environment may name.
  const answer = await fetch(`${localUrl}/readyz`, { signal: AbortSignal.timeout(ANSWER_LIMIT), proxy: false });
  return (await answer.json()) as Readiness;
}

/** How each part is, in a word. */
export type PartStates = [name: string, state: string][];

const STORES = { postgresql: "PostgreSQL", temporal: "Temporal", worker: "worker" } as const;

/** What /readyz says of each part, by the name that people know it by. */
export async function statesOf(localUrl: string): Promise<PartStates> {
  const found = await readiness(localUrl).catch(() => undefined);
  const others = Object.entries(STORES) as [keyof typeof STORES, string][];
  const api = found?.reasons.includes(STARTING) ? "starting" : "up";
  return [
    ...others.map(([key, name]): PartStates[number] => [name, found?.[key] ?? "unknown"]),
    ["API", found ? api : "down"],
  ];
}

/** Its stdin stays open as long as we live: by its end the child sees that we are gone, even by SIGKILL, and leaves. */
function spawnOwn(entry: string, { env, output, watch }: Run) {
  return Bun.spawn([process.execPath, ...(watch ? ["--watch", "--no-clear-screen"] : []), entry], {
    cwd: PROJECT_ROOT,
    env: { ...env, GATEHOUSE_SUPERVISED: "1" },
    // In a group of its own, Ctrl-C does not reach it before it is its turn to stop.
    detached: true,
    stdin: "pipe",
    stdout: output,
    stderr: output,
  });
}
