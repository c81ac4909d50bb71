import { Context } from "@temporalio/activity";
import type { RedeliverInput, RedeliveryProgress } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";

export function createFollowRedelivery({ engine }: ActivityDependencies) {
  return ({ tenantId, redeliveryId }: RedeliverInput): Promise<RedeliveryProgress> => {
    const context = Context.current();
    return engine.followRedelivery(tenantId, redeliveryId, () => {
      context.heartbeat();
      return !context.cancellationSignal.aborted;
    });
  };
}

/** Called when its workflow was cancelled in Temporal: sends nothing more. */
export function createCancelRedelivery({ engine, log }: ActivityDependencies) {
  return async ({ tenantId, redeliveryId }: RedeliverInput): Promise<void> => {
    await engine.cancelRedelivery(tenantId, redeliveryId);
    log.warn({ tenantId, redeliveryId }, "a redelivery was cancelled in Temporal");
  };
}
