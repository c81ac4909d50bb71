// Which worker a commit wakes. Of any number one hears of each change and takes it on; the others hear of what it has no
// room for. Were all woken by each change, an empty claim of every worker would be part of its cost.

import { connect, type Sql } from "../../db/connection.ts";
import { POLL_MS, SOON_MS } from "./loop.ts";
import { handOnDispatches, isFirstListener, listenForDispatches, listenForHandedOn } from "./store.ts";

export interface Wakes {
  /** There is more than this worker has room for. */
  handOn(): void;
  stop(): Promise<void>;
}

/**
 * @param wake called for every committed change, by the worker that hears; with a connection's id if there is something
 * new in its queue
 * @param wakeAll called for what is handed on, by all workers
 */
export function startWakes(
  databaseUrl: string,
  sql: Sql,
  wake: (connectionId?: string) => void,
  wakeAll: () => void,
): Wakes {
  // What makes it the first ends with its session, also when the process is killed.
  const session = connect(databaseUrl, "gatehouse wakes", 1, { max_lifetime: null });
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
      // What was handed on is nobody's to hand on again.
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
