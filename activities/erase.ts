import { Context } from "@temporalio/activity";
import { continueErasure } from "../server/data/index.ts";
import type { EraseInput, ErasureProgress } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";

export function createContinueErasure({ patientSql }: ActivityDependencies) {
  return async ({ tenantId, erasureId }: EraseInput): Promise<ErasureProgress> => {
    const context = Context.current();
    const progress: Parameters<typeof continueErasure>[3] = context.info.heartbeatDetails ?? {};
    const stop = heartbeat(context, progress);
    try {
      return await continueErasure(patientSql, tenantId, erasureId, progress);
    } finally {
      stop();
    }
  };
}
