import { type SignalDefinition, setHandler } from "@temporalio/workflow";

export interface Signals {
  /** Takes the present state as known. @returns whether a signal has come since */
  sinceNow(): () => boolean;
}

/** Counts a signal, so that one that comes during an activity is not missed. */
export function countSignals(signal: SignalDefinition): Signals {
  let count = 0;
  setHandler(signal, () => {
    count++;
  });
  return {
    sinceNow() {
      const known = count;
      return () => count !== known;
    },
  };
}
