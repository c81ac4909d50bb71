import { closeOpenDelivery, putBack } from "../server/webhooks/index.ts";
import type { CloseDeliveryInput, PostWebhookResult } from "../workflows/contract.ts";
import { closingOf, workflowCancelled } from "./attempts.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import type { Posts } from "./post-webhook.ts";

/**
 * Goes on with a delivery whose attempts in Temporal have ended without a final state; retried without end. One with
 * posts left goes back to the queue: nothing but a post that left is an attempt.
 */
export function createCloseDelivery(
  { sql, log, metrics, inFlight, windows }: ActivityDependencies,
  { breakOff }: Pick<Posts, "breakOff">,
) {
  return async (input: CloseDeliveryInput): Promise<ClosedDelivery> => {
    const { tenantId, deliveryId, connectionId } = input;
    // A post within the workflow's task may still be out.
    await breakOff(deliveryId, workflowCancelled());
    // One that has not begun at all has its place still.
    inFlight.begin(deliveryId);
    windows.release(connectionId, deliveryId);
    const { wished, reason, leastAttempts } = closingOf(input);
    const closed = await closeOpenDelivery(sql, tenantId, deliveryId, wished, leastAttempts);
    if (!closed) return { state: wished, attempts: 0, reason };
    const { state, attempts, ping } = closed;
    log.warn({ tenantId, deliveryId, state, reason }, "delivery without an attempt's word");
    if (state === "Pending" || state === "Retrying") {
      await putBack(sql, tenantId, [deliveryId], 0);
      return { state: "Queued", attempts };
    }
    if (!ping) metrics.ended(state);
    return { state, attempts, reason };
  };
}

type ClosedDelivery = { state: PostWebhookResult["state"] | "Exhausted"; attempts: number; reason?: string };
