// The effects of an attempt on its delivery, its connection and its receiver's window.

import { intervalAfter, type PostRetryPolicy } from "../../../workflows/contract.ts";
import { spread } from "../../platform/durations.ts";
import type { AttemptResult, Unsent } from "./send-signed.ts";
import type { OpenDelivery } from "./start-attempt.store.ts";
import type { Attempt, AttemptOutcome } from "./store.ts";
import type { Ending } from "./windows.ts";

type Judged = Pick<AttemptResult, "delivered" | "gone" | "refused" | "retryAfterMs"> & {
  attempt: Pick<Attempt, "failure">;
};

/** @param holding when exhausted deliveries make a connection Held, and when it is first probed */
export function outcomeOf(
  delivery: Pick<OpenDelivery, "numberInRun" | "ping">,
  result: Judged,
  retry: PostRetryPolicy,
  holding: { after: number; probeInterval: number },
  isCancelled: boolean,
): AttemptOutcome {
  const isEnded = result.gone !== undefined || result.refused;
  const last = isEnded || delivery.ping || delivery.numberInRun >= retry.maximumAttempts;
  // A post that we aborted has not failed. A cancelled workflow closes its open deliveries itself.
  const cutOff = result.attempt.failure === "cancelled";
  const ends = last && !(cutOff && isCancelled);
  const rule = { gone: result.gone, after: holding.after, probeInMs: spread(holding.probeInterval) };
  return {
    reached: result.delivered ? "Delivered" : ends ? "Exhausted" : "Retrying",
    hold: delivery.ping || cutOff ? undefined : rule,
    // Counted in PostgreSQL, so waits keep growing after a worker dies.
    nextInMs: last ? undefined : Math.max(waitAfter(delivery.numberInRun, retry), result.retryAfterMs ?? 0),
  };
}

/** No wait is longer than the policy's last. */
function waitAfter(attempt: number, retry: PostRetryPolicy): number {
  return spread(intervalAfter(attempt, retry), intervalAfter(retry.maximumAttempts - 1, retry));
}

export function endingOf(result: Pick<Judged, "attempt"> | Unsent): Ending {
  if ("unsent" in result) return "unsent";
  if (result.attempt.failure === "cancelled") return "aborted";
  return result.attempt.failure === null ? "answered" : "unanswered";
}
