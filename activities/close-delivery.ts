import { closeOpenDelivery } from "../server/webhooks/index.ts";
import type { CloseDeliveryInput, DeliveryState } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { workflowCancelled } from "./post-webhook.ts";
import type { Posts } from "./posts.ts";

const REASONS = { Exhausted: "attempts lost", Cancelled: "cancelled in Temporal" };

/** Writes the final state of a delivery whose attempts wrote none; retried without end. */
export function createCloseDelivery(
  { sql, log, metrics }: ActivityDependencies,
  { breakOff }: Pick<Posts, "breakOff">,
) {
  return async ({
    tenantId,
    deliveryId,
    state,
  }: CloseDeliveryInput): Promise<{ state: DeliveryState; attempts: number; reason: string }> => {
    // A post within the workflow's task may still be out.
    await breakOff(deliveryId, workflowCancelled());
    const closed = await closeOpenDelivery(sql, tenantId, deliveryId, state);
    const reason = REASONS[state];
    if (closed && !closed.ping) metrics.ended(closed.state);
    log.warn({ tenantId, deliveryId, state: closed?.state, reason }, "delivery closed without an attempt's word");
    return { state: closed?.state ?? state, attempts: closed?.attempts ?? 0, reason };
  };
}
