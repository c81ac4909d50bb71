import DataLoader from "dataloader";

/** Items of a statement. */
const MAX_ITEMS = 50;

/**
 * Makes one statement of what is asked for while the one before is under way: alone, an item goes at once; the more
 * there are, the fewer statements each of them costs.
 *
 * @param run gives one result for each item, in their order
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
      // What comes in the same turn of the event loop still belongs to it.
      batchScheduleFn: (dispatch) => void last.then(() => setImmediate(dispatch)),
    },
  );
  return (item) => loader.load(item);
}
