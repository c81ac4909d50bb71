export interface WriteBehind {
  /** Something waits to be written. */
  soon(): void;
  /** Writes what waits; to be called when nothing more comes. */
  stop(): Promise<void>;
}

/**
 * Writes what waits in memory in batches, one at a time, beside the requests' way: none waits for it, or fails with it.
 * @param write takes all that waits; does not fail
 */
export function createWriteBehind(everyMs: number, isWaiting: () => boolean, write: () => Promise<void>): WriteBehind {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  function soon(): void {
    if (timer || writing) return;
    timer = setTimeout(begin, everyMs);
    // A process that has nothing else to do may end.
    timer.unref();
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    writing = write().then(() => {
      writing = undefined;
      if (isWaiting()) soon();
    });
  }

  return {
    soon,
    async stop() {
      await writing;
      if (isWaiting()) begin();
      await writing;
    },
  };
}
