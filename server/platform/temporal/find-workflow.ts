// A look-up in Temporal for the API.

import type { TemporalConfig } from "../config/temporal.ts";
import type { TenantId } from "../ids.ts";
import { TENANT_ID } from "./search-attributes.ts";

const PATIENCE_MS = 3_000;

/** Whether Temporal still has this workflow of the tenant; undefined if it does not answer. */
export type FindWorkflow = (tenantId: TenantId, workflowId: string) => Promise<boolean | undefined>;

export function createFindWorkflow({
  connection: options,
  namespace,
}: Pick<TemporalConfig, "connection" | "namespace">): FindWorkflow {
  return async (tenantId, workflowId) => {
    // Loaded here, because an API needs it only for these rare requests.
    const { Client, Connection, WorkflowNotFoundError } = await import("@temporalio/client");
    const connection = Connection.lazy(options);
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
