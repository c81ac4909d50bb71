import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { attemptDelivery, closeOpenDelivery, openAttempt, recordAttempt } from "../server/webhooks/index.ts";
import { type DeliveryState, EXHAUSTED, type PostWebhookInput, type PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./index.ts";

const DATABASE_WAIT_MS = 500;

/** One attempt of a delivery. Its failure carries the host, the status and one word, never a body. */
export function createPostWebhook({ sql, egress, masterKey, log, timeout }: ActivityDependencies) {
  return async ({ tenantId, deliveryId, maximumAttempts }: PostWebhookInput): Promise<PostWebhookResult> => {
    const context = Context.current();
    const database = <T>(step: () => Promise<T>) => untilDone(log, context.cancellationSignal, step);
    const delivery = await database(() => openAttempt(sql, tenantId, deliveryId));
    if (!delivery) throw ApplicationFailure.nonRetryable("the delivery is not in the database", EXHAUSTED);
    // A local activity runs again when its worker dies before the task is recorded.
    if (delivery.state === "Delivered") return { state: "Delivered", attempts: delivery.number };
    if (delivery.state === "Cancelled") return { state: "Cancelled", attempts: delivery.number };
    if (delivery.state === "Exhausted") throw ApplicationFailure.nonRetryable("it had failed before", EXHAUSTED);
    if (delivery.connectionDeleted) {
      await database(() => closeOpenDelivery(sql, tenantId, deliveryId, "Cancelled"));
      return { state: "Cancelled", attempts: delivery.number };
    }

    const result = await attemptDelivery(egress, masterKey, delivery, timeout, context.cancellationSignal);
    const last = result.gone || context.info.attempt >= maximumAttempts;
    const state: DeliveryState = result.delivered ? "Delivered" : last ? "Exhausted" : "Retrying";
    await database(() => recordAttempt(sql, tenantId, deliveryId, result.attempt, state, result.gone));
    log.info(
      { tenantId, eventId: delivery.eventId, deliveryId, attempt: delivery.number, state, reason: result.reason },
      "webhook attempt",
    );

    if (result.delivered) return { state: "Delivered", attempts: delivery.number };
    const failure = ApplicationFailure.create({
      message: result.reason,
      type: last ? EXHAUSTED : "AttemptFailed",
      nonRetryable: last,
      nextRetryDelay: last ? undefined : result.retryAfterMs,
    });
    // A receiver's answer is no bug of ours: in the Temporal UI the reason should stand alone.
    failure.stack = "";
    throw failure;
  };
}

/** Waits for PostgreSQL to come back: giving up would use up an attempt, or post the same bytes again. */
async function untilDone<T>(log: Logger, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error }, "PostgreSQL did not take part in an attempt; asking again");
      await new Promise((resolve) => setTimeout(resolve, DATABASE_WAIT_MS));
    }
  }
}
