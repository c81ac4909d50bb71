// The two processes of Gatehouse itself: the worker and the API.

import { join } from "node:path";
import { PROJECT_ROOT, type ShutdownConfig } from "../../platform/config/config.ts";
import { type Readiness, STARTING } from "../../platform/http/health.ts";
import type { PartSpec } from "./part.ts";
import { requireListener } from "./ports.ts";

const WORKER = join(PROJECT_ROOT, "activities", "worker.ts");
const API = join(PROJECT_ROOT, "server", "serve.ts");
const ANSWER_LIMIT = 5_000;
/** The time an API needs to exit after its last response. */
const CLOSING_MS = 2_000;

/** The destination of the child's log: our own output, or an open file. */
export type LogOutput = "inherit" | number;

export interface Run {
  env: Record<string, string | undefined>;
  output: LogOutput;
  watch: boolean;
}

/** METRICS_PORT is the API's; the worker uses the next port. */
export function workerPart(run: Run): PartSpec {
  const port = run.env.METRICS_PORT;
  const env = port ? { ...run.env, METRICS_PORT: String(Number(port) + 1) } : run.env;
  return {
    name: "worker",
    // /readyz shows whether it polls, because it may have to wait for Temporal first.
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
    patience: 60_000,
    stop: [{ signal: "SIGTERM", grace: delay + grace + CLOSING_MS }],
    spawn: () => spawnOwn(API, run),
  };
}

/** The body of /readyz, for any status. */
export async function readiness(localUrl: string): Promise<Readiness> {
  // Local requests must not use a configured proxy.
  const answer = await fetch(`${localUrl}/readyz`, { signal: AbortSignal.timeout(ANSWER_LIMIT), proxy: false });
  return (await answer.json()) as Readiness;
}

export type PartStates = [name: string, state: string][];

const STORES = { postgresql: "PostgreSQL", temporal: "Temporal", worker: "worker" } as const;

/** The state of each part in /readyz, by display name. */
export async function statesOf(localUrl: string): Promise<PartStates> {
  const found = await readiness(localUrl).catch(() => undefined);
  const others = Object.entries(STORES) as [keyof typeof STORES, string][];
  const api = found?.reasons.includes(STARTING) ? "starting" : "up";
  return [
    ...others.map(([key, name]): PartStates[number] => [name, found?.[key] ?? "unknown"]),
    ["API", found ? api : "down"],
  ];
}

/** The child's stdin stays open while this process lives. When it closes, even after SIGKILL, the child exits. */
function spawnOwn(entry: string, { env, output, watch }: Run) {
  return Bun.spawn([process.execPath, ...(watch ? ["--watch", "--no-clear-screen"] : []), entry], {
    cwd: PROJECT_ROOT,
    env: { ...env, GATEHOUSE_SUPERVISED: "1" },
    // A separate process group, so Ctrl-C does not stop it too early.
    detached: true,
    stdin: "pipe",
    stdout: output,
    stderr: output,
  });
}
