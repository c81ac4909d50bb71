import type { Caller } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { isUuid, type Page, type Paging, toPage } from "../../http/paging.ts";
import { redeliveryWorkflowId, toRedeliveryRecord } from "./record.ts";
import { noRedelivery } from "./service.ts";
import { findRedelivery, listRedeliveries, type Redelivery, type RedeliveryFilter } from "./store.ts";

/** Where a person opens a workflow in the Temporal UI. */
export type WorkflowUrl = (workflowId: string) => string;

/** A redelivery as the API answers it. */
export type LocatedRedelivery = ReturnType<typeof located>;

export function located(redelivery: Redelivery, workflowUrl: WorkflowUrl) {
  const workflowId = redeliveryWorkflowId(redelivery.id);
  return { ...toRedeliveryRecord(redelivery), WorkflowId: workflowId, WorkflowUrl: workflowUrl(workflowId) };
}

/**
 * A page of those that the caller may read, newest first.
 * @throws ServiceBusy
 */
export function readRedeliveries(
  sql: Sql,
  { tenantId, permissions }: Caller,
  filter: RedeliveryFilter,
  { limit, after }: Paging,
  workflowUrl: WorkflowUrl,
): Promise<Page<LocatedRedelivery>> {
  return permissions.readable("Webhooks:Read", "Redelivery", async () => {
    const rows = await listRedeliveries(sql, tenantId, filter, limit, after);
    return toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => located(row, workflowUrl),
    );
  });
}

/** @throws NotFound, Permission */
export async function readRedelivery(
  sql: Sql,
  { tenantId, permissions }: Caller,
  id: string,
  workflowUrl: WorkflowUrl,
): Promise<LocatedRedelivery> {
  const redelivery = isUuid(id) ? await findRedelivery(sql, tenantId, id) : undefined;
  if (!redelivery) throw noRedelivery();
  permissions.require("Webhooks:Read", "Redelivery", toRedeliveryRecord(redelivery));
  return located(redelivery, workflowUrl);
}
