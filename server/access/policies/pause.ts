// Cedar decides in this process's only thread, so whoever asks it for much lets others in between.

/** Work that goes on for longer rests for as long as it has worked: so long others have the thread to themselves. */
const SLICE_MS = 5;
/** It may have waited for PostgreSQL as well. */
const LONGEST_REST_MS = 20;

/** @returns to be awaited between two steps of long work */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const worked = performance.now() - since;
    if (worked < SLICE_MS) return;
    // An answer to others takes several turns of the event loop, so one turn is not enough.
    await Bun.sleep(Math.min(worked, LONGEST_REST_MS));
    since = performance.now();
  };
}
