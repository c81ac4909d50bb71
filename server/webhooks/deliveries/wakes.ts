// Which worker a commit wakes. Of any number one hears of each change and takes it on; the others hear of what it has no
// room for. Were all woken by each change, an empty claim of every worker would be part of its cost.

import type { Logger } from "pino";
import { connect, IMPATIENT, type Sql } from "../../db/sql.ts";
import { createOutageLog } from "../../log.ts";
import { handOnDispatches, isFirstListener, listenForDispatches, listenForHandedOn } from "./dispatch.store.ts";
import type { Turn } from "./turns.ts";

export interface Wakes {
  /** There is more than this worker has room for. */
  handOn(): void;
  stop(): Promise<void>;
}

/**
 * @param wake called for every committed change, by the worker that hears; with a connection if there is something new in
 * its queue
 * @param wakeAll called for what is handed on, by all workers
 */
export function startWakes(databaseUrl: string, sql: Sql, wake: (queue?: Turn) => void, wakeAll: () => void): Wakes {
  // What makes it the first ends with its session, also when the process is killed.
  const session = connect(databaseUrl, "gatehouse wakes", 1, { ...IMPATIENT, max_lifetime: null });
  const stopHearingOfMore = listenForHandedOn(sql, wakeAll);
  let stopHearing: (() => Promise<void>) | undefined;
  let handing: Timer | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const isFirst = await isFirstListener(session).catch(() => false);
    if (isFirst) stopHearing ??= listenForDispatches(sql, wake);
    else if (stopHearing) {
      const stop = stopHearing;
      stopHearing = undefined;
      await stop();
    }
  }

  const lookAgain = () => {
    looking = looking.then(look);
  };
  lookAgain();
  // The one that hears may be gone.
  const timer = setInterval(lookAgain, POLL_MS);
  return {
    handOn() {
      // What was handed on is not handed on again.
      if (!stopHearing) return;
      handing ??= setTimeout(() => {
        handing = undefined;
        // Without PostgreSQL there is nothing to hand on.
        handOnDispatches(sql).catch(() => {});
      }, SOON_MS);
    },
    async stop() {
      clearInterval(timer);
      clearTimeout(handing);
      await looking;
      await Promise.all([stopHearingOfMore(), stopHearing?.()]);
      await session.end({ timeout: 1 });
    },
  };
}

/** The net under NOTIFY. */
export const POLL_MS = 2_000;
/** Until something is asked again that is about to change, and of which nobody tells. */
export const SOON_MS = 100;
/** After a failure, so that what is away is not asked all the time. */
export const FAILURE_PAUSE_MS = 1_000;

/** Whether there is likely more than a step has taken: another lane may help. */
export type Found = "all" | "more";

export interface Loop {
  /** Says that there may be something to do: one lane looks for it. */
  wake(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * Looks for work in several lanes at once, as long as there is some, and sleeps until it is woken.
 */
export function startLoop(lanes: number, step: () => Promise<Found>, log: Logger): Loop {
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
        await pause();
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

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, FAILURE_PAUSE_MS));
}
