// What `start` and the workers ask of a Temporal cluster that is not theirs.

import type { WorkflowService } from "@temporalio/client";
import type { TemporalConfig } from "./config.ts";
import { CannotStart } from "./errors.ts";

/** gRPC's codes. */
const NOT_FOUND = 5;
const HIDDEN = [7 /* PERMISSION_DENIED */, 12 /* UNIMPLEMENTED */];

/** @throws CannotStart if there is no such namespace; a cluster that does not say whether there is one is believed */
export async function requireNamespace(
  service: Pick<WorkflowService, "describeNamespace">,
  { namespace, address }: Pick<TemporalConfig, "namespace" | "address">,
): Promise<void> {
  try {
    await service.describeNamespace({ namespace });
  } catch (error) {
    const { code = -1 } = error as { code?: number };
    if (HIDDEN.includes(code)) return;
    if (code !== NOT_FOUND) throw error;
    throw new CannotStart(
      `Temporal at ${address} has no namespace "${namespace}". Make it, or name another in TEMPORAL_NAMESPACE:\n` +
        `  temporal operator namespace create --address ${address} --namespace ${namespace} --retention 7d`,
    );
  }
}
