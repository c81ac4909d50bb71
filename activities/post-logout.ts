import { Context } from "@temporalio/activity";
import { FAILURE_PAUSE_MS } from "../server/platform/durations.ts";
import { posting } from "../server/webhooks/index.ts";
import type { CloseLogoutInput, LogoutOutcome, PostLogoutInput } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";
import { attemptFailed, closingOf, isWorkflowCancelled, untilDone } from "./retry.ts";

/** Logouts never hold a connection. */
const NO_HOLDING = { after: 0, probeInterval: 0 };

type Dependencies = Pick<ActivityDependencies, "logouts" | "log" | "metrics">;

/**
 * One attempt of a logout: few of a client are in progress, and each has a place in its window. Its failure contains
 * the host, the status and one word, never a body.
 */
export function createPostLogout({ logouts, log, metrics }: Dependencies) {
  return async (input: PostLogoutInput): Promise<LogoutOutcome> => {
    const context = Context.current();
    const signal = context.cancellationSignal;
    const stopBeating = heartbeat(context);
    try {
      for (;;) {
        const outcome = await inPlace(input, signal);
        if (outcome !== "unsent") return outcome;
        await context.sleep(FAILURE_PAUSE_MS * (1 + Math.random()));
      }
    } finally {
      stopBeating();
    }
  };

  async function inPlace(input: PostLogoutInput, signal: AbortSignal): Promise<LogoutOutcome | "unsent"> {
    const { tenantId, clientId, logoutId, retry } = input;
    const database = <T>(step: () => Promise<T>) => untilDone(log, { tenantId, logoutId }, signal, step);
    const place = await logouts.windows.take(
      { connectionId: clientId, deliveryId: logoutId, eventId: logoutId },
      signal,
    );
    if (!place) throw signal.reason;
    const startedBy = Bun.randomUUIDv7();
    try {
      const logout = await database(() => logouts.startAttempt(tenantId, logoutId, retry.maximumAttempts, startedBy));
      if (!logout) return { state: "Cancelled", attempts: 0 };
      const { number } = logout;
      if (!logout.isStarted) {
        if (logout.hasJustEnded) metrics.logoutEnded(logout.state);
        if (logout.state === "Exhausted") throw attemptFailed("the last attempt was lost");
        if (logout.state === "Delivered" || logout.state === "Cancelled")
          return { state: logout.state, attempts: number };
        // A worker died after recording this attempt, before its workflow was notified.
        throw attemptFailed("its next attempt is not due yet", Math.ceil(logout.waitMs));
      }

      const token = await database(() => logouts.sign(logout));
      place.start();
      const result = await logouts.post(tenantId, logout, token, signal);
      place.end(posting.endingOf(result));
      if ("unsent" in result) {
        await database(() => logouts.revertAttempt(tenantId, logoutId, number));
        return "unsent";
      }
      const { numberInRun } = logout;
      const isCancelled = isWorkflowCancelled(signal);
      const { reached, nextInMs } = posting.outcomeOf(
        { numberInRun, ping: false },
        result,
        retry,
        NO_HOLDING,
        isCancelled,
      );
      const { reason } = result;
      const state = await database(() =>
        logouts.record(tenantId, logoutId, result.attempt, {
          state: reached as LogoutOutcome["state"],
          reason,
          nextInMs,
        }),
      );
      log.info({ tenantId, logoutId, clientId, attempt: number, state, reason }, "logout attempt");
      metrics.logoutAttempted(result.attempt);
      if (state === undefined) return { state: "Cancelled", attempts: number };
      metrics.logoutEnded(state);
      if (state === "Delivered" || state === "Cancelled") return { state, attempts: number };
      if (isCancelled) throw signal.reason;
      throw attemptFailed(reason, nextInMs);
    } finally {
      place.end("aborted");
    }
  }
}

/**
 * Continues a logout whose attempts in Temporal ended without a final state; retried indefinitely. With attempts left
 * it gets a new workflow, because only sent posts count.
 */
export function createCloseLogout({ logouts, log, metrics }: Dependencies) {
  return async (input: CloseLogoutInput): Promise<LogoutOutcome> => {
    const { tenantId, logoutId } = input;
    const { wished, reason, minAttempts } = closingOf(input);
    const closed = await logouts.closeOpen(tenantId, logoutId, wished, reason, minAttempts);
    log.warn({ tenantId, logoutId, state: closed?.state, reason }, "logout closed without an attempt's result");
    if (!closed) return { state: "Cancelled", attempts: 0 };
    if (closed.hasJustEnded) metrics.logoutEnded(closed.state);
    if (closed.state === "Pending" || closed.state === "Retrying") await logouts.endLease(tenantId, logoutId);
    return { state: closed.state, attempts: closed.attempts };
  };
}
