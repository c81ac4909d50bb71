// Receivers that have stopped answering: told at once by the posts that pile up, before any of them is known to be slow.

/** So many posts out, and so long without an answer: the more of them there are, the sooner it is told. */
const SIGNS = [
  { posts: 10, silentMs: 500 },
  { posts: 3, silentMs: 1_000 },
];

export interface Silence {
  /**
   * A post of the quick lane begins.
   * @returns whether its receiver seems to hang
   */
  begin(connectionId: string): boolean;
  /** @param quick whether the post ended soon: a late end breaks no silence */
  end(connectionId: string, quick: boolean): void;
}

export function createSilence(): Silence {
  const receivers = new Map<string, { out: number; since: number }>();

  return {
    begin(connectionId) {
      const now = performance.now();
      const receiver = receivers.get(connectionId) ?? { out: 0, since: now };
      receivers.set(connectionId, receiver);
      receiver.out++;
      return SIGNS.some(({ posts, silentMs }) => receiver.out >= posts && now - receiver.since >= silentMs);
    },
    end(connectionId, quick) {
      const receiver = receivers.get(connectionId);
      if (!receiver) return;
      receiver.out--;
      if (quick) receiver.since = performance.now();
      if (receiver.out === 0) receivers.delete(connectionId);
    },
  };
}
