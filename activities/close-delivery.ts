import { closeOpenDelivery } from "../server/webhooks/index.ts";
import type { CloseDeliveryInput, DeliveryState } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./index.ts";

/** Writes the final state of a delivery whose attempts wrote none; retried without end. */
export function createCloseDelivery({ sql, log }: ActivityDependencies) {
  return async ({
    tenantId,
    deliveryId,
  }: CloseDeliveryInput): Promise<{ state: DeliveryState; attempts: number; reason: string }> => {
    const closed = await closeOpenDelivery(sql, tenantId, deliveryId, "Exhausted");
    log.warn({ tenantId, deliveryId, state: closed?.state }, "delivery closed after its attempts were lost");
    return { state: closed?.state ?? "Exhausted", attempts: closed?.attempts ?? 0, reason: "attempts lost" };
  };
}
