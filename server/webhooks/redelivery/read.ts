import type { Caller, Shown, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { isUuid, type Paging } from "../../http/paging.ts";
import { type LocatedRedelivery, located, type WorkflowUrl } from "./record.ts";
import { noRedelivery } from "./service.ts";
import { findRedelivery, listRedeliveries, type RedeliveryFilter } from "./store.ts";

/**
 * A page of those that the caller may read, newest first.
 * @throws ServiceBusy
 */
export function readRedeliveries(
  sql: Sql,
  { tenantId, gate }: Caller,
  filter: RedeliveryFilter,
  paging: Paging,
  workflowUrl: WorkflowUrl,
): Promise<ShownPage<LocatedRedelivery>> {
  return gate.list({
    type: "Redelivery",
    paging,
    read: (limit, after) => listRedeliveries(sql, tenantId, filter, limit, after),
    id: (row) => row.id,
    item: (row) => located(row, workflowUrl),
  });
}

/** @throws NotFound, Permission */
export async function readRedelivery(
  sql: Sql,
  { tenantId, gate }: Caller,
  id: string,
  workflowUrl: WorkflowUrl,
): Promise<Shown<LocatedRedelivery>> {
  const redelivery = isUuid(id) ? await findRedelivery(sql, tenantId, id) : undefined;
  if (!redelivery) throw noRedelivery();
  return (await gate.show("Redelivery", located(redelivery, workflowUrl))).record;
}
