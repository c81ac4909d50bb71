// How attempts fail in Temporal, and what they do while PostgreSQL is away.

import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { FAILURE_PAUSE_MS } from "../server/webhooks/index.ts";
import { ATTEMPT_FAILED, EXHAUSTED } from "../workflows/contract.ts";

/** The host, the status and one word, never a body. @param nextInMs undefined: no attempt follows */
export function attemptFailed(message: string, nextInMs?: number): ApplicationFailure {
  const last = nextInMs === undefined;
  const failure = ApplicationFailure.create({
    message,
    type: last ? EXHAUSTED : ATTEMPT_FAILED,
    nonRetryable: last,
    nextRetryDelay: nextInMs,
  });
  // A receiver's answer is no bug of ours: in the Temporal UI the reason should stand alone.
  failure.stack = "";
  return failure;
}

/** Asks PostgreSQL until it answers: giving up would use up an attempt, or post the same bytes again. */
export async function untilDone<T>(log: Logger, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error }, "PostgreSQL did not take part in an attempt; asking again");
      await Bun.sleep(FAILURE_PAUSE_MS);
    }
  }
}

/** The reason that the SDK gives. A worker's end also cancels, by another one, and then another worker shall go on. */
const WORKFLOW_CANCELLED = "CANCELLED";

export function workflowCancelled(): Error {
  return new CancelledFailure(WORKFLOW_CANCELLED);
}

export function isWorkflowCancelled({ reason }: AbortSignal): boolean {
  return reason instanceof CancelledFailure && reason.message === WORKFLOW_CANCELLED;
}

/** How what no attempt has ended is closed: with fewer posts of its run than these it stays open. */
export function closingOf({ cancelled, maximumAttempts }: { cancelled: boolean; maximumAttempts: number }) {
  return cancelled
    ? ({ wished: "Cancelled", reason: "cancelled in Temporal", leastAttempts: 0 } as const)
    : ({ wished: "Exhausted", reason: "attempts lost", leastAttempts: maximumAttempts } as const);
}
