import { Context } from "@temporalio/activity";
import type { ImportProgress, InviteInput } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";

export function createInviteNext({ invitations }: ActivityDependencies) {
  return async ({ tenantId, importId }: InviteInput): Promise<ImportProgress> => {
    const context = Context.current();
    const stop = heartbeat(context);
    try {
      return await invitations.next(tenantId, importId, () => context.heartbeat());
    } finally {
      stop();
    }
  };
}
