// Requirements of `start` and the workers on an external Temporal cluster.

import type { WorkflowService } from "@temporalio/client";
import type { TemporalConfig } from "./config.ts";
import { CannotStart } from "./errors.ts";

/** gRPC codes. */
const NOT_FOUND = 5;
const HIDDEN = [7 /* PERMISSION_DENIED */, 12 /* UNIMPLEMENTED */];

/** @throws CannotStart if the namespace does not exist; accepts clusters that hide it */
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
      `Temporal at ${address} has no namespace "${namespace}". Create it, or set TEMPORAL_NAMESPACE to an existing one:\n` +
        `  temporal operator namespace create --address ${address} --namespace ${namespace} --retention 7d`,
    );
  }
}
