import { Context } from "@temporalio/activity";
import { probe } from "../server/webhooks/index.ts";
import type { ProbeInput, ProbeResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";

export function createSendProbe({ log, holding, ...dependencies }: ActivityDependencies) {
  return async ({ tenantId, connectionId }: ProbeInput): Promise<ProbeResult> => {
    const context = Context.current();
    const stopBeating = heartbeat(context);
    try {
      const { probeInterval } = holding;
      const signal = context.cancellationSignal;
      const result = await probe({ ...dependencies, probeInterval }, tenantId, connectionId, signal);
      log.info({ tenantId, connectionId, ...result }, "connection probed");
      return result;
    } finally {
      stopBeating();
    }
  };
}
