// Failures of attempts in Temporal, and retries while PostgreSQL is unavailable.

import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { FAILURE_PAUSE_MS } from "../server/platform/durations.ts";
import { ATTEMPT_FAILED, EXHAUSTED } from "../workflows/contract.ts";

/** Contains the host, the status and one word, never a body. @param nextInMs undefined: no further attempt */
export function attemptFailed(message: string, nextInMs?: number): ApplicationFailure {
  const last = nextInMs === undefined;
  const failure = ApplicationFailure.create({
    message,
    type: last ? EXHAUSTED : ATTEMPT_FAILED,
    nonRetryable: last,
    nextRetryDelay: nextInMs,
  });
  // A receiver's error is not our bug, so the Temporal UI should show only the reason.
  failure.stack = "";
  return failure;
}

/** Retries until PostgreSQL responds, because giving up would use up an attempt or post the same bytes again. */
export async function untilDone<T>(
  log: Logger,
  ids: Record<string, string>,
  signal: AbortSignal,
  step: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error, ...ids }, "PostgreSQL did not answer during an attempt; retrying");
      await Bun.sleep(FAILURE_PAUSE_MS);
    }
  }
}

/** The SDK's reason. A worker's shutdown also cancels, with a different reason, and another worker then continues. */
const WORKFLOW_CANCELLED = "CANCELLED";

export function workflowCancelled(): Error {
  return new CancelledFailure(WORKFLOW_CANCELLED);
}

export function isWorkflowCancelled({ reason }: AbortSignal): boolean {
  return reason instanceof CancelledFailure && reason.message === WORKFLOW_CANCELLED;
}

/** The closing state of an open delivery or logout, and the attempts that its run must have for it. */
export function closingOf({ cancelled, maximumAttempts }: { cancelled: boolean; maximumAttempts: number }) {
  return cancelled
    ? ({ wished: "Cancelled", reason: "cancelled in Temporal", minAttempts: 0 } as const)
    : ({ wished: "Exhausted", reason: "attempts lost", minAttempts: maximumAttempts } as const);
}
