import type { Logger } from "pino";
import { createOutageLog } from "../../log.ts";

/** The delay before checking a state again that changes soon without notification. */
export const SOON_MS = 100;
/** The delay after a failure, to protect services that are down. */
export const FAILURE_PAUSE_MS = 1_000;

/** Whether more work is likely waiting, so that another lane should help. */
export type FoundWork = "all" | "more";

export interface Loop {
  /** Wakes one lane to look for work. */
  wake(): void;
  /** Resolves after all work has ended. */
  stop(): Promise<void>;
}

/** Runs lanes concurrently while there is work; they sleep until woken. */
export function startLoop(lanes: number, step: () => Promise<FoundWork>, log: Logger): Loop {
  const failed = createOutageLog(log);
  let stopping = false;
  /** A wake-up arrived while no lane was idle. */
  let missed = false;
  /** Idle lanes, longest idle first. */
  const idle: (() => void)[] = [];
  const running = Array.from({ length: lanes }, lane);

  function wake(): void {
    const resume = idle.shift();
    if (resume) resume();
    else missed = true;
  }

  async function lane(): Promise<void> {
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
