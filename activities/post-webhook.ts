import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { traceIdOf } from "../server/http/context.ts";
import type { TraceSpan } from "../server/tracing/index.ts";
import {
  type AttemptResult,
  closeOpenDelivery,
  endingOf,
  type OpenDelivery,
  outcomeOf,
  type Place,
  recordProof,
  takeBackAttempt,
} from "../server/webhooks/index.ts";
import {
  ATTEMPT_FAILED,
  type DeliveryState,
  EXHAUSTED,
  NOT_YET,
  type PostWebhookInput,
  type PostWebhookResult,
} from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { pause } from "./pause.ts";

/** Shown to a person who has reset the workflow in the Temporal UI. */
const ENDED_BEFORE = "it had failed before; to send it again: Redeliver in Settings, or POST …/Redeliver";
const DATABASE_WAIT_MS = 500;
/** A post that there was no place for is tried again after so long, or up to twice as long, so that not all come at once. */
const UNSENT_WAIT_MS = 1_000;

/**
 * One attempt from its look-up to its record; it fails with how long to wait for the next one. "full": its connection
 * has as many posts out as it may.
 */
export type Attempt = (
  input: PostWebhookInput,
  signal: AbortSignal,
  place: Place,
) => Promise<PostWebhookResult | "full">;

type AttemptDependencies = Pick<
  ActivityDependencies,
  "sql" | "attemptLog" | "attemptDelivery" | "log" | "metrics" | "tracing" | "holding"
>;

/** One attempt of a delivery. Its failure carries the host, the status and one word, never a body. */
export function createAttempt(dependencies: AttemptDependencies): Attempt {
  const { sql, attemptLog, attemptDelivery, log, metrics, tracing, holding } = dependencies;
  return async (input, signal, place) => {
    const { tenantId, deliveryId, maximumAttempts } = input;
    const database = <T>(step: () => Promise<T>) => untilDone(log, signal, step);
    const openedBy = Bun.randomUUIDv7();
    const delivery = await open();
    if (delivery === "full") return "full";
    if ("ended" in delivery) return delivery.ended;

    const span = tracing.begin("webhook attempt", "client", delivery.traceParent);
    // One that is not sampled would keep the receiver from sampling its own.
    const traceParent = span.sampled ? span.traceParent : undefined;
    place.begin();
    const result = await attemptDelivery(tenantId, delivery, signal, traceParent);
    place.end(endingOf(result));
    if ("unsent" in result) {
      span.end({ attributes: {}, problem: result.unsent });
      await database(() => takeBackAttempt(sql, tenantId, deliveryId, delivery.number));
      throw notYet("there was no place for it", laterBy());
    }
    span.end(spanEnd(input, delivery, result));
    const outcome = outcomeOf(delivery, result, input, holding, isWorkflowCancelled(signal));
    const state = await database(() =>
      delivery.proof && result.delivered
        ? recordProof(sql, tenantId, deliveryId, result.attempt, outcome)
        : attemptLog.record(tenantId, deliveryId, result.attempt, outcome),
    );
    const firstRun = delivery.number === delivery.numberInRun;
    if (!delivery.ping) {
      metrics.attempted(result.attempt);
      metrics.ended(state ?? outcome.reached, firstRun ? delivery.occurredOn : undefined);
    }
    const { eventId, number } = delivery;
    const traceId = traceIdOf(span.traceParent);
    log.info(
      { tenantId, eventId, deliveryId, attempt: number, state, reason: result.reason, traceId },
      "webhook attempt",
    );
    if (state === "Delivered" || state === "Cancelled") return { state, attempts: delivery.number };
    if (isWorkflowCancelled(signal)) throw signal.reason;
    throw failure(result.reason, outcome.nextInMs, delivery.number);

    /** A local activity runs again when its worker dies before the task is recorded, so much may have happened. */
    async function open(): Promise<OpenDelivery | { ended: PostWebhookResult } | "full"> {
      for (;;) {
        const found = await database(() => attemptLog.open({ tenantId, deliveryId, maximumAttempts, openedBy }));
        if (!found) throw unattempted("the delivery is not in the database");
        if (found === "full" || found.attempted) return found;
        if (!found.endsAs && found.waitMs > 0) throw notYet("its next attempt is not due yet", found.waitMs);
        const { state, attempts } = await ended(found);
        const why = found.endsAs ? "the last attempt was lost" : ENDED_BEFORE;
        if (state === "Exhausted") throw unattempted(why);
        if (state !== "Pending" && state !== "Retrying") return { ended: { state, attempts } };
        // Another worker was faster, or its connection was set Active in between: look again.
      }
    }

    function unattempted(reason: string): ApplicationFailure {
      log.info({ tenantId, deliveryId, reason }, "no webhook attempt");
      return failure(reason);
    }

    async function ended({ state, number, endsAs }: OpenDelivery): Promise<{ state: DeliveryState; attempts: number }> {
      const closed = endsAs && (await database(() => closeOpenDelivery(sql, tenantId, deliveryId, endsAs)));
      if (closed && !closed.ping) metrics.ended(closed.state);
      return closed ?? { state, attempts: number };
    }
  };
}

/** Ids, a status and one word: as little as the log has. */
function spanEnd(
  { tenantId, deliveryId }: PostWebhookInput,
  { eventId, number }: OpenDelivery,
  { attempt, delivered, reason }: AttemptResult,
): Parameters<TraceSpan["end"]>[0] {
  return {
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": attempt.statusCode ?? undefined,
      "error.type": attempt.failure ?? undefined,
      "gatehouse.tenant_id": tenantId,
      "gatehouse.event_id": eventId,
      "gatehouse.delivery_id": deliveryId,
      "gatehouse.attempt": number,
    },
    problem: delivered ? undefined : reason,
  };
}

/** The reason that the SDK gives. A worker's end also cancels, by another one, and then another worker shall go on. */
const WORKFLOW_CANCELLED = "CANCELLED";

export function workflowCancelled(): Error {
  return new CancelledFailure(WORKFLOW_CANCELLED);
}

export function isWorkflowCancelled({ reason }: AbortSignal): boolean {
  return reason instanceof CancelledFailure && reason.message === WORKFLOW_CANCELLED;
}

/** @param retryAfterMs undefined: it is the delivery's end */
export function failure(message: string, retryAfterMs?: number, attempts?: number): ApplicationFailure {
  const last = retryAfterMs === undefined;
  const failure = ApplicationFailure.create({
    message,
    type: last ? EXHAUSTED : ATTEMPT_FAILED,
    nonRetryable: last,
    nextRetryDelay: retryAfterMs,
    // The delay itself does not come through to a workflow.
    details: retryAfterMs === undefined ? undefined : [retryAfterMs, attempts],
  });
  // A receiver's answer is no bug of ours: in the Temporal UI the reason should stand alone.
  failure.stack = "";
  return failure;
}

export type Retried = ApplicationFailure & { nextRetryDelay: number; details?: [waitMs: number, attempts?: number] };

export function isRetried(error: unknown): error is Retried {
  return error instanceof ApplicationFailure && error.nextRetryDelay !== undefined;
}

/** The same failure when part of its wait is over already. */
export function retriedIn(waitMs: number, { message, type, details }: Retried): ApplicationFailure {
  const attempts = details?.[1];
  return type === NOT_YET ? notYet(message, waitMs) : failure(message, Math.round(waitMs), attempts);
}

/** Waits for PostgreSQL to come back: giving up would use up an attempt, or post the same bytes again. */
export async function untilDone<T>(log: Logger, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error }, "PostgreSQL did not take part in an attempt; asking again");
      await pause(DATABASE_WAIT_MS);
    }
  }
}

/** Milliseconds after which a post that there was no place for is tried again. */
export function laterBy(): number {
  return UNSENT_WAIT_MS * (1 + Math.random());
}

/** Neither an attempt nor a failure: it is tried again. */
export function notYet(message: string, waitMs: number): ApplicationFailure {
  const wait = Math.round(waitMs);
  const failure = ApplicationFailure.create({
    message,
    type: NOT_YET,
    nextRetryDelay: wait,
    // The delay itself does not come through to a workflow.
    details: [wait],
  });
  failure.stack = "";
  return failure;
}
