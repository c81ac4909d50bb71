import { closeOpenDelivery } from "../server/webhooks/index.ts";
import type { CloseDeliveryInput, DeliveryState } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { workflowCancelled } from "./post-webhook.ts";

const REASONS = { Exhausted: "attempts lost", Cancelled: "cancelled in Temporal" };

/** Writes the final state of a delivery whose attempts wrote none; retried without end. */
export function createCloseDelivery({ sql, posts, log, metrics }: ActivityDependencies) {
  return async ({
    tenantId,
    deliveryId,
    state = "Exhausted",
  }: CloseDeliveryInput): Promise<{ state: DeliveryState; attempts: number; reason: string }> => {
    // One that was handed over stays out if its workflow is cancelled before the slow lane has taken it up.
    await posts.breakOff(deliveryId, workflowCancelled());
    const closed = await closeOpenDelivery(sql, tenantId, deliveryId, state);
    const reason = REASONS[state];
    if (closed) metrics.ended(closed.state);
    log.warn({ tenantId, deliveryId, state: closed?.state, reason }, "delivery closed without an attempt's word");
    return { state: closed?.state ?? state, attempts: closed?.attempts ?? 0, reason };
  };
}
