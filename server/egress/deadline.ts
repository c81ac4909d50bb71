// One time limit over several steps, some of which (a name look-up) cannot be aborted themselves.

import { cancelled, type EgressError, timedOut } from "./failures.ts";

export interface Deadline {
  signal: AbortSignal;
  /** What ended it, or undefined while there is time. */
  readonly passed: EgressError | undefined;
  /** Waits for the promise, but no longer than the deadline. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Lets go of the timer and of the caller's signal. */
  end(): void;
}

export function startDeadline(host: string, timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  // A timer of our own and not AbortSignal.timeout(), which would stay behind for its whole time after every post.
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = () => controller.abort(cancelled(host));
  const timer = setTimeout(() => controller.abort(timedOut(host, timeoutMs)), timeoutMs);
  if (caller?.aborted) cancel();
  caller?.addEventListener("abort", cancel);
  return {
    signal,
    get passed() {
      return signal.aborted ? (signal.reason as EgressError) : undefined;
    },
    race: (promise) =>
      Promise.race([
        promise,
        new Promise<never>((_, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
      ]),
    end() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", cancel);
    },
  };
}
