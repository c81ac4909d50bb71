export interface WriteBehind {
  soon(): void;
  /** Writes the remaining items; call it after the last one. */
  stop(): Promise<void>;
}

/** In batches, one at a time. Requests neither wait for it nor fail with it. @param write writes all; must not throw */
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
