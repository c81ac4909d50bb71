import DataLoader from "dataloader";

const MAX_ITEMS = 50;

/**
 * Collects items into one statement while the previous one runs. A single item runs at once.
 * @param run returns one result for each item, in order
 */
export function createBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Item, Result>(
    (items) => {
      const running = run(items);
      last = running.catch(() => {});
      return running;
    },
    {
      cache: false,
      maxBatchSize: MAX_ITEMS,
      // Also collects items of the same tick of the event loop.
      batchScheduleFn: (dispatch) => void last.then(() => setImmediate(dispatch)),
    },
  );
  return (item) => loader.load(item);
}
