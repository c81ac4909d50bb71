// Work that is looked for in several lanes, and slept for in between.

import type { Logger } from "pino";
import { createOutageLog } from "../../log.ts";

/** Until something is asked again that is about to change, and of which nobody tells. */
export const SOON_MS = 100;
/** After a failure, so that what is away is not asked all the time. */
export const FAILURE_PAUSE_MS = 1_000;

/** Whether there is likely more than a step has taken: another lane may help. */
export type FoundWork = "all" | "more";

export interface Loop {
  /** Says that there may be something to do: one lane looks for it. */
  wake(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * Looks for work in several lanes at once, as long as there is some, and sleeps until it is woken.
 */
export function startLoop(lanes: number, step: () => Promise<FoundWork>, log: Logger): Loop {
  const failed = createOutageLog(log);
  let stopping = false;
  /** Somebody woke while no lane was idle. */
  let missed = false;
  /** Lanes with nothing to do, the one idle longest first. */
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
        failed({ err: error }, "events could not be dispatched; they stay in PostgreSQL and are tried again");
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
