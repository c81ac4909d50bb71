// A time limit over several steps, some of which (a name look-up) cannot be aborted themselves.

import { cancelled, type EgressError, toEgressError } from "./failures.ts";

export interface Deadline {
  host: string;
  timeoutMs: number;
  /** What it is when the time is over. */
  late: EgressError;
  /** Ends it early, with `cancelled`. */
  signal?: AbortSignal | undefined;
}

/**
 * Waits for a step, but no longer than the deadline.
 * @throws EgressError, whatever goes wrong
 */
export async function within<T>(deadline: Deadline, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { host, timeoutMs, late, signal: caller } = deadline;
  // A timer of our own and not AbortSignal.timeout(), which would stay behind for its whole time after every post.
  const { signal, abort } = aborting();
  const cancel = () => abort(cancelled(host));
  const timer = setTimeout(() => abort(late), timeoutMs);
  if (caller?.aborted) cancel();
  caller?.addEventListener("abort", cancel);
  try {
    return await Promise.race([
      step(signal),
      new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    ]);
  } catch (error) {
    // Once the deadline has passed, whatever the step says is only its consequence.
    throw signal.aborted ? signal.reason : toEgressError(error, host);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener("abort", cancel);
  }
}

function aborting() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: EgressError) => controller.abort(reason) };
}
