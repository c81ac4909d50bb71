// What a workflow says of attempts, whatever was posted: how long one may take, how long it waits for the next, and how
// it fails once none is left.

import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  type WorkflowInterceptors,
} from "@temporalio/workflow";
import { EXHAUSTED, type PostRetryPolicy } from "./contract.ts";

/**
 * What reading and recording may take beyond the post itself. The post has its own, short limit; this one is long, so
 * that a PostgreSQL that is away for a while does not use up attempts.
 */
const RECORDING_MS = 3_600_000;
/** Shorter than any wait: each is then a timer of the workflow, which outlives the worker. */
const LOCAL_WAIT_MS = 0.5;

/** After so long without a sign of life a post has died with its worker. */
const SILENCE_MS = 20_000;

/** Options of the local activity that makes the attempts; the retry policy is Temporal's own. */
export function attempts(retry: PostRetryPolicy, timeout: number) {
  return { retry, startToCloseTimeout: timeout + RECORDING_MS, localRetryThreshold: LOCAL_WAIT_MS };
}

/** The same for posts that may hang, and must not hold a workflow's task. */
export function longAttempts(retry: PostRetryPolicy, timeout: number) {
  return {
    retry,
    startToCloseTimeout: timeout + RECORDING_MS,
    heartbeatTimeout: SILENCE_MS,
    // A post that is out is broken off and logged before the workflow ends.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
}

const summaries = new WeakMap<CancellationScope, string>();

/** Runs an activity with its retries; the summary of each wait says what comes after it. */
export function untilNext<T>(what: string, run: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  summaries.set(scope, `until the next ${what}`);
  return scope.run(run);
}

/** The SDK starts the timers between attempts, and gives them no summary. @public loaded with the bundle */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      startTimer: (timer, next) =>
        next({ ...timer, options: { summary: summaries.get(CancellationScope.current()), ...timer.options } }),
    },
  ],
});

/** Why no attempt follows, if the last one has said so itself. */
export function exhaustionIn(error: unknown): string | undefined {
  // A local activity's failure is not wrapped, its timeout may be.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === EXHAUSTED ? cause.message : undefined;
}

/** How a workflow fails once no attempt is left. */
export function exhaustedBy(reason: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(reason, EXHAUSTED);
  // A receiver's answer is no bug of ours: in the Temporal UI the reason should stand alone.
  failure.stack = "";
  return failure;
}
