export interface WriteBehind {
  soon(): void;
  /** Writes the remaining items; call it after the last one. */
  stop(): Promise<void>;
}

/**
 * Writes items from memory in batches, one at a time, in the background. Requests neither wait for it nor fail with it.
 * @param write writes all waiting items; must not throw
 */
export function createWriteBehind(everyMs: number, isWaiting: () => boolean, write: () => Promise<void>): WriteBehind {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  function soon(): void {
    if (timer || writing) return;
    timer = setTimeout(begin, everyMs);
    // The timer must not keep the process running.
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
