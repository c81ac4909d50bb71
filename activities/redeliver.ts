import { Context } from "@temporalio/activity";
import { cancelRedelivery, followRedelivery } from "../server/webhooks/index.ts";
import type { RedeliverInput, RedeliveryProgress } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";

export function createFollowRedelivery({ sql }: ActivityDependencies) {
  return ({ tenantId, redeliveryId }: RedeliverInput): Promise<RedeliveryProgress> => {
    const context = Context.current();
    return followRedelivery(sql, tenantId, redeliveryId, () => {
      context.heartbeat();
      return !context.cancellationSignal.aborted;
    });
  };
}

/** Called when its workflow was cancelled in Temporal: sends nothing more. */
export function createCancelRedelivery({ sql, log }: ActivityDependencies) {
  return async ({ tenantId, redeliveryId }: RedeliverInput): Promise<void> => {
    await cancelRedelivery(sql, tenantId, redeliveryId);
    log.warn({ tenantId, redeliveryId }, "a redelivery was cancelled in Temporal");
  };
}
