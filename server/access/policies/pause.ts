// Cedar decides in this process's only thread, so whoever asks it for much lets others in between.

/** Work that goes on for longer lets other requests be answered, then goes on. */
const SLICE_MS = 10;
/** @returns to be awaited between two steps of long work */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    // Not a microtask: what has come in over the network meanwhile is served first.
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}
