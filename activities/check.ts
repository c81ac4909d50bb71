import { Context } from "@temporalio/activity";
import type { CheckInput, CheckStep } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";

export function createCheckReceiver({ engine, log }: Pick<ActivityDependencies, "engine" | "log">) {
  return async (input: CheckInput & { step: CheckStep | "End" }): Promise<boolean> => {
    const { tenantId, connectionId, checkId, step } = input;
    const context = Context.current();
    const stopBeating = heartbeat(context);
    try {
      const isLeft = await engine.checkStep(tenantId, connectionId, checkId, step, context.cancellationSignal);
      log.info({ tenantId, connectionId, step }, "receiver checked");
      return isLeft;
    } finally {
      stopBeating();
    }
  };
}
