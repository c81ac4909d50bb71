import type { Logger } from "pino";
import { FAILURE_PAUSE_MS } from "../../platform/durations.ts";
import { createOutageLog } from "../../platform/log.ts";

/** The delay before a check is repeated, for a state that soon changes without a notification. */
export const SOON_MS = 100;

/** "more": more work is likely waiting, so another step should run beside this one. */
export type FoundWork = "all" | "more";

export interface Loop {
  /** Runs a step, unless the maximum number of them is running. */
  wake(): void;
  /** Resolves after all work has ended. */
  stop(): Promise<void>;
}

/** Repeats a step while there is work, at most `concurrency` times in parallel; then it sleeps until woken. */
export function startLoop(concurrency: number, step: () => Promise<FoundWork>, log: Logger): Loop {
  const failed = createOutageLog(log);
  let stopping = false;
  /** A wake-up arrived while none was idle. */
  let missed = false;
  /** Longest idle first. */
  const idle: (() => void)[] = [];
  const running = Array.from({ length: concurrency }, run);

  function wake(): void {
    const resume = idle.shift();
    if (resume) resume();
    else missed = true;
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const found = await step().catch(async (error) => {
        failed({ err: error }, "events could not be dispatched; they stay in PostgreSQL and are retried");
        await Bun.sleep(FAILURE_PAUSE_MS);
        return "all" as const;
      });
      if (found === "more") wake();
      else if (missed) missed = false;
      else if (!stopping) await new Promise<void>((resolve) => idle.push(resolve));
    }
  }

  return {
    wake,
    async stop() {
      stopping = true;
      for (const resume of idle.splice(0)) resume();
      await Promise.all(running);
    },
  };
}
