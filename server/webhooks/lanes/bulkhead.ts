// How many posts of the slow lane are out to each receiver, so that one that hangs leaves places for the others.

/** Posts that a worker lets be out to one slow receiver at a time. */
const MOST_POSTS = 20;
/** With so many out at a time a receiver is slow: fewer cost little, and need not wait for turns. */
const SLOW_POSTS = 10;
/** A refused post comes back for its place after so long at the least. */
const LEAST_WAIT_MS = 1_000;

export interface Bulkhead {
  /** @returns 0 if the post has a place until it is left, else the milliseconds after which to ask again */
  enter(connectionId: string): number;
  /**
   * For a post that is out already.
   * @returns whether its receiver is slow
   */
  enterAnyway(connectionId: string): boolean;
  leave(connectionId: string): void;
}

/** @param timeoutMs what one post may take */
export function createBulkhead(timeoutMs: number): Bulkhead {
  const receivers = new Map<string, { out: number; lastTurn: number }>();

  function enterAnyway(connectionId: string): boolean {
    const receiver = receivers.get(connectionId) ?? { out: 0, lastTurn: 0 };
    receivers.set(connectionId, receiver);
    receiver.out++;
    return receiver.out >= SLOW_POSTS;
  }

  return {
    enterAnyway,
    enter(connectionId) {
      const receiver = receivers.get(connectionId);
      if (receiver && receiver.out >= MOST_POSTS) {
        // Those refused come back one after the other, no faster than places become free if all posts time out.
        const now = performance.now();
        receiver.lastTurn = Math.max(receiver.lastTurn, now) + timeoutMs / MOST_POSTS;
        return Math.max(LEAST_WAIT_MS, Math.round(receiver.lastTurn - now));
      }
      enterAnyway(connectionId);
      return 0;
    },
    leave(connectionId) {
      const receiver = receivers.get(connectionId);
      if (!receiver) return;
      receiver.out--;
      if (receiver.out === 0) receivers.delete(connectionId);
    },
  };
}
