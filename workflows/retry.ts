// Attempts in workflows, for all kinds of posts: their timeouts, the waits between them, and the failure after the
// last.

import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  type WorkflowInterceptors,
} from "@temporalio/workflow";
import { EXHAUSTED, type PostRetryPolicy } from "./contract.ts";

/**
 * The time for reading and recording beyond the post. Posts have their own short timeout; this one is long, so an
 * outage of PostgreSQL does not use up attempts.
 */
const RECORDING_MS = 3_600_000;
/** Shorter than any wait, so every wait is a workflow timer, which survives the worker. */
const LOCAL_WAIT_MS = 0.5;

/** After this time without a heartbeat, a post has died with its worker. */
const NO_HEARTBEAT_MS = 20_000;

/** Options of a local activity, which posts in its workflow's task. Temporal applies the retry policy. */
export function inTask(retry: PostRetryPolicy, timeout: number) {
  return { retry, startToCloseTimeout: timeout + RECORDING_MS, localRetryThreshold: LOCAL_WAIT_MS };
}

/** Options of a regular activity, which may hang without blocking its workflow's task. */
export function besideTask(retry: PostRetryPolicy, timeout: number) {
  return {
    retry,
    startToCloseTimeout: timeout + RECORDING_MS,
    heartbeatTimeout: NO_HEARTBEAT_MS,
    // A post in progress is aborted and logged before the workflow ends.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
}

const summaries = new WeakMap<CancellationScope, string>();

/** Runs an activity with retries; the summary of each wait names the next attempt. */
export function untilNext<T>(what: string, run: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  summaries.set(scope, `until the next ${what}`);
  return scope.run(run);
}

/** Adds summaries to the SDK's timers between attempts. @public loaded with the bundle */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      startTimer: (timer, next) =>
        next({ ...timer, options: { summary: summaries.get(CancellationScope.current()), ...timer.options } }),
    },
  ],
});

/** Why no attempt follows, if the last one has reported it. */
export function exhaustionIn(error: unknown): string | undefined {
  // A local activity's failure is not wrapped, but its timeout may be.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === EXHAUSTED ? cause.message : undefined;
}

/** The workflow's failure after the last attempt. */
export function exhaustedBy(reason: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(reason, EXHAUSTED);
  // A receiver's error is not our bug, so the Temporal UI should show only the reason.
  failure.stack = "";
  return failure;
}
