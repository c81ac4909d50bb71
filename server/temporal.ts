// Requirements of `start` and the workers on an external Temporal cluster, and a look-up for the API.

import type { WorkflowService } from "@temporalio/client";
import type { TemporalConfig } from "./config.ts";
import { CannotStart } from "./errors.ts";
import type { TenantId } from "./ids.ts";
import { TENANT_ID } from "./webhooks/index.ts";

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

const PATIENCE_MS = 3_000;

/** Whether Temporal still has this workflow of the tenant; undefined if it does not answer. */
export type FindWorkflow = (tenantId: TenantId, workflowId: string) => Promise<boolean | undefined>;

export function createFindWorkflow({
  connect,
  namespace,
}: Pick<TemporalConfig, "connect" | "namespace">): FindWorkflow {
  return async (tenantId, workflowId) => {
    // Loaded here, because an API needs it only for these rare requests.
    const { Client, Connection, WorkflowNotFoundError } = await import("@temporalio/client");
    const connection = Connection.lazy(connect.connectionOptions);
    try {
      const { workflow } = new Client({ connection, namespace });
      const look = () => workflow.getHandle(workflowId).describe();
      const { typedSearchAttributes } = await connection.withDeadline(Date.now() + PATIENCE_MS, look);
      return typedSearchAttributes.get(TENANT_ID) === tenantId;
    } catch (error) {
      return error instanceof WorkflowNotFoundError ? false : undefined;
    } finally {
      await connection.close();
    }
  };
}
