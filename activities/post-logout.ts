import { Context } from "@temporalio/activity";
import { closeOpenLogout, openLogout, recordLogout, takeBackLogout } from "../server/logouts/index.ts";
import { endingOf, outcomeOf, type Place, QUICK_MS } from "../server/webhooks/index.ts";
import {
  type CloseLogoutInput,
  type LogoutOutcome,
  MAXIMUM_ATTEMPTS,
  type PostLogoutInput,
} from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { failure, isWorkflowCancelled, laterBy, notYet, untilDone } from "./post-webhook.ts";
import { HEARTBEAT_MS } from "./posts.ts";

/**
 * Where a receiver has as many posts out as it may, those that wait come again after so long, or up to twice as long; each
 * time that there is no room again, after twice that, and at last after FULL_WAIT_MS: a history holds 51,200 events, and
 * behind one that hangs there may be hours to wait.
 */
const FIRST_WAIT_MS = 1_000;
const FULL_WAIT_MS = 10_000;
/** No failing receiver makes its connection Held here. */
const NO_HOLDING = { after: 0, probeInterval: 0 };

type Dependencies = Pick<ActivityDependencies, "sql" | "attemptLogout" | "logoutWindows" | "log" | "metrics">;

/** One attempt to tell a client of a logout. Its failure carries the host, the status and one word, never a body. */
export function createPostLogout({ sql, attemptLogout, logoutWindows, log, metrics }: Dependencies) {
  return async (input: PostLogoutInput): Promise<LogoutOutcome> => {
    const context = Context.current();
    const signal = context.cancellationSignal;
    const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    try {
      const place = await enter(input, signal);
      return await attempt(input, place, signal).finally(() => place.end("unsent"));
    } finally {
      clearInterval(heartbeat);
    }
  };

  /** A client has a window as a connection has. */
  async function enter({ clientId, logoutId, turn }: PostLogoutInput, signal: AbortSignal): Promise<Place> {
    const own = { connectionId: clientId, deliveryId: logoutId, eventId: logoutId };
    const place = await logoutWindows.enter(own, signal, QUICK_MS);
    if (place) return place;
    signal.throwIfAborted();
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (turn - 1), FULL_WAIT_MS);
    throw notYet("its receiver has as many posts out as it may", wait * (1 + Math.random()));
  }

  async function attempt(input: PostLogoutInput, place: Place, signal: AbortSignal): Promise<LogoutOutcome> {
    const { tenantId, logoutId, retry } = input;
    const database = <T>(step: () => Promise<T>) => untilDone(log, signal, step);
    const openedBy = Bun.randomUUIDv7();
    const logout = await database(() => openLogout(sql, tenantId, logoutId, MAXIMUM_ATTEMPTS, openedBy));
    if (!logout) return { state: "Cancelled", attempts: 0 };
    const { number } = logout;
    if (!logout.isBegun) {
      if (logout.hasJustEnded) metrics.logoutEnded(logout.state);
      if (logout.state === "Exhausted") throw failure("the last attempt was lost");
      if (logout.state === "Delivered" || logout.state === "Cancelled")
        return { state: logout.state, attempts: number };
      throw notYet("its next attempt is not due yet", logout.waitMs);
    }

    const token = await database(() => attemptLogout.sign(logout));
    place.begin();
    const result = await attemptLogout.post(tenantId, logout, token, signal);
    place.end(endingOf(result));
    if ("unsent" in result) {
      await database(() => takeBackLogout(sql, tenantId, logoutId, number));
      throw notYet("there was no place for it", laterBy());
    }
    const { numberInRun } = logout;
    const isCancelled = isWorkflowCancelled(signal);
    const asked = { maximumAttempts: MAXIMUM_ATTEMPTS, retry };
    const { reached, nextInMs } = outcomeOf({ numberInRun, ping: false }, result, asked, NO_HOLDING, isCancelled);
    const { reason } = result;
    const state = await database(() =>
      recordLogout(sql, tenantId, logoutId, result.attempt, {
        state: reached as LogoutOutcome["state"],
        reason,
        nextInMs,
      }),
    );
    log.info({ tenantId, logoutId, clientId: input.clientId, attempt: number, state, reason }, "logout attempt");
    metrics.logoutAttempted(result.attempt);
    if (state === undefined) return { state: "Cancelled", attempts: number };
    metrics.logoutEnded(state);
    if (state === "Delivered" || state === "Cancelled") return { state, attempts: number };
    if (isCancelled) throw signal.reason;
    throw failure(reason, nextInMs, number);
  }
}

const REASONS = { Exhausted: "attempts lost", Cancelled: "cancelled in Temporal" };

/** Writes the final state of a logout whose attempts wrote none; retried without end. */
export function createCloseLogout({ sql, log, metrics }: Pick<ActivityDependencies, "sql" | "log" | "metrics">) {
  return async ({ tenantId, logoutId, state }: CloseLogoutInput): Promise<LogoutOutcome> => {
    const reason = REASONS[state];
    const closed = await closeOpenLogout(sql, tenantId, logoutId, state, reason);
    log.warn({ tenantId, logoutId, state: closed?.state, reason }, "logout closed without an attempt's word");
    if (!closed) return { state: "Cancelled", attempts: 0 };
    if (closed.hasJustEnded) metrics.logoutEnded(closed.state);
    return { state: closed.state, attempts: closed.attempts };
  };
}
