import { Context } from "@temporalio/activity";
import { continueErasure } from "../server/personal-data/index.ts";
import type { EraseInput, ErasureProgress } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";

export function createContinueErasure({ patientSql }: ActivityDependencies) {
  return async ({ tenantId, erasureId }: EraseInput): Promise<ErasureProgress> => {
    const stop = heartbeat(Context.current());
    try {
      return await continueErasure(patientSql, tenantId, erasureId);
    } finally {
      stop();
    }
  };
}
