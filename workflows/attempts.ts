// How a workflow goes on after an attempt, whatever was posted.

import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  TemporalFailure,
  TimeoutFailure,
} from "@temporalio/workflow";
import { ATTEMPT_FAILED, backoff, EXHAUSTED, NOT_YET, type RetrySettings } from "./contract.ts";

/**
 * What reading and recording may take beyond the post itself. The post has its own, short limit; this one is long, so
 * that a PostgreSQL that is away for a while does not use up attempts.
 */
export const RECORDING_MS = 3_600_000;
/** After so long without a sign of life a post has died with its worker. */
export const SILENCE_MS = 20_000;

/**
 * @returns milliseconds
 * @throws the error, if no attempt follows
 */
export function waitAfter(error: unknown, retry: RetrySettings, attempt: number): number {
  if (!(error instanceof TemporalFailure) || CancellationScope.current().consideredCancelled) throw error;
  const cause = causeOf(error);
  if (cause instanceof ApplicationFailure && cause.nonRetryable) throw error;
  if (cause instanceof TimeoutFailure) return 0;
  return waitOf(error) ?? backoff(retry, attempt);
}

/** How a workflow fails once no attempt is left. */
export function exhaustedBy(reason: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(reason, EXHAUSTED);
  // A receiver's answer is no bug of ours: in the Temporal UI the reason should stand alone.
  failure.stack = "";
  return failure;
}

/** What an attempt that ended by itself says of the next one. */
export function waitOf(error: unknown): number | undefined {
  const cause = error instanceof TemporalFailure ? causeOf(error) : undefined;
  if (!(cause instanceof ApplicationFailure) || ![ATTEMPT_FAILED, NOT_YET].includes(cause.type ?? "")) return undefined;
  return cause.details?.[0] as number | undefined;
}

/** A local activity's failure is not wrapped, its timeout may be. */
export function causeOf(error: TemporalFailure): Error | undefined {
  return error instanceof ActivityFailure ? error.cause : error;
}
