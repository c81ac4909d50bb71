// How many deliveries that wait for a slow receiver may be under way at a time: one that answers, if late, gets more
// turns, and one that does not gets fewer, so that it costs less.

const AT_FIRST = 5;
const FEWEST = 4;
const MOST = 50;
/** Receivers whose turns are remembered; those forgotten begin anew. */
const MOST_KNOWN = 10_000;

export interface Turns {
  /** For all that nothing is known of. */
  atFirst: number;
  /** Where it is another number, by connection. */
  known: ReadonlyMap<string, number>;
  answered(connectionId: string): void;
  failed(connectionId: string): void;
}

export function createTurns(): Turns {
  const known = new Map<string, number>();

  function set(connectionId: string, turns: number): void {
    known.delete(connectionId);
    known.set(connectionId, turns);
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
  }

  return {
    atFirst: AT_FIRST,
    known,
    answered: (connectionId) => set(connectionId, Math.min(MOST, (known.get(connectionId) ?? AT_FIRST) + 1)),
    failed: (connectionId) =>
      set(connectionId, Math.max(FEWEST, Math.floor((known.get(connectionId) ?? AT_FIRST) / 2))),
  };
}
