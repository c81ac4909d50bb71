// A Gatehouse whose parts tests kill, stop and start: shared by all files of a process, because a start takes seconds.

import { until } from "../world/api.ts";
import { type Stack, startStack } from "./stack.ts";

/** A post is always in progress when its worker ends, and lost deliveries are found soon. */
const SETTINGS = { WEBHOOK_TIMEOUT: "30s", WEBHOOK_RECONCILE_INTERVAL: "1s" };

let running: Promise<Stack> | undefined;

/** @returns the victim with all parts ready; a test that stops a part must start it again */
export async function startVictim(): Promise<Stack> {
  running ??= start();
  const stack = await running;
  await until("all parts to be ready", async () => {
    const readiness = await stack.readiness().catch(() => undefined);
    return readiness?.status === "ready";
  });
  return stack;
}

async function start(): Promise<Stack> {
  const stack = await startStack({ env: SETTINGS });
  process.on("exit", () => {
    for (const { pid } of Object.values(stack.parts)) if (pid) process.kill(pid, "SIGQUIT");
  });
  return stack;
}
