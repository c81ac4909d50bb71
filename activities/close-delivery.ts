import type { CloseDeliveryInput, PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import type { Posts } from "./post-webhook.ts";
import { closingOf, workflowCancelled } from "./retry.ts";

/**
 * Continues a delivery whose attempts in Temporal ended without a final state; retried indefinitely. With attempts left
 * it returns to the queue, because only sent posts count.
 */
export function createCloseDelivery({ engine, log, metrics }: ActivityDependencies, { abort }: Pick<Posts, "abort">) {
  return async (input: CloseDeliveryInput): Promise<ClosedResult> => {
    const { tenantId, eventId, deliveryId, connectionId } = input;
    // A post in the workflow's task may still be in progress.
    await abort(deliveryId, workflowCancelled());
    // For a delivery whose post has not begun.
    engine.starting.end(deliveryId);
    engine.windows.free(connectionId, deliveryId);
    const { wished, reason, minAttempts } = closingOf(input);
    const closed = await engine.closeOpenDelivery(tenantId, eventId, deliveryId, wished, minAttempts);
    if (!closed) return { state: wished, attempts: 0, reason };
    const { state, attempts, ping } = closed;
    log.warn({ tenantId, eventId, deliveryId, state, reason }, "delivery closed without an attempt's result");
    if (state === "Pending" || state === "Retrying") {
      await engine.requeue(tenantId, [deliveryId], 0);
      return { state: "Queued", attempts };
    }
    if (!ping) metrics.ended(state);
    return { state, attempts, reason };
  };
}

type ClosedResult = { state: PostWebhookResult["state"] | "Exhausted"; attempts: number; reason?: string };
