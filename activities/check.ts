import { Context } from "@temporalio/activity";
import type { CheckInput } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";
import { isWorkflowCancelled } from "./retry.ts";

export function createRunCheck({ engine, log }: ActivityDependencies) {
  return async (input: CheckInput): Promise<void> => {
    const context = Context.current();
    const signal = context.cancellationSignal;
    const stopBeating = heartbeat(context);
    try {
      await engine.runCheck(input, signal);
      log.info({ ...input }, "receiver checked");
    } catch (error) {
      // It keeps the results so far.
      if (isWorkflowCancelled(signal)) await engine.endCheck(input.tenantId, input.checkId);
      throw error;
    } finally {
      stopBeating();
    }
  };
}
