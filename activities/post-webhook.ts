import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { attemptDelivery, closeOpenDelivery, openAttempt, recordAttempt } from "../server/webhooks/index.ts";
import { type DeliveryState, EXHAUSTED, type PostWebhookInput, type PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./index.ts";

const RECORDING_WAIT_MS = 500;

/** One attempt of a delivery. Its failure carries the host, the status and one word, never a body. */
export function createPostWebhook({ sql, egress, masterKey, log, timeout }: ActivityDependencies) {
  return async ({ tenantId, deliveryId, maximumAttempts }: PostWebhookInput): Promise<PostWebhookResult> => {
    const context = Context.current();
    const delivery = await openAttempt(sql, tenantId, deliveryId);
    if (!delivery) throw ApplicationFailure.nonRetryable("the delivery is not in the database", EXHAUSTED);
    // A local activity runs again when its worker dies before the task is recorded.
    if (delivery.state === "Delivered") return { state: "Delivered", attempts: delivery.number };
    if (delivery.state === "Cancelled") return { state: "Cancelled", attempts: delivery.number };
    if (delivery.connectionDeleted) {
      await closeOpenDelivery(sql, tenantId, deliveryId, "Cancelled");
      return { state: "Cancelled", attempts: delivery.number };
    }

    const result = await attemptDelivery(egress, masterKey, delivery, timeout, context.cancellationSignal);
    const last = result.gone || context.info.attempt >= maximumAttempts;
    const state: DeliveryState = result.delivered ? "Delivered" : last ? "Exhausted" : "Retrying";
    await retried(log, context.cancellationSignal, () =>
      recordAttempt(sql, tenantId, deliveryId, result.attempt, state, result.gone),
    );
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

/** Recording waits for PostgreSQL to come back: giving up would post the same bytes again. */
async function retried(log: Logger, signal: AbortSignal, record: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error }, "an attempt could not be recorded; trying again");
      await new Promise((resolve) => setTimeout(resolve, RECORDING_WAIT_MS));
    }
  }
}
