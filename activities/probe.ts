import { Context } from "@temporalio/activity";
import type { ProbeInput, ProbeResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";

export function createSendProbe({ engine, log }: ActivityDependencies) {
  return async ({ tenantId, connectionId }: ProbeInput): Promise<ProbeResult> => {
    const context = Context.current();
    const stopBeating = heartbeat(context);
    try {
      const result = await engine.probe(tenantId, connectionId, context.cancellationSignal);
      log.info({ tenantId, connectionId, ...result }, "connection probed");
      return result;
    } finally {
      stopBeating();
    }
  };
}
