// Bulk redeliveries as the API answers them.

import type { RedeliveryId } from "../../../workflows/contract.ts";
import type { Caller, Shown, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { isUuid, type Paging } from "../../http/query.ts";
import type { ConnectionState } from "../connections/store.ts";
import { noRedelivery } from "./service.ts";
import {
  findRedelivery,
  listRedeliveries,
  type Redelivery,
  type RedeliveryFilter,
  type RedeliveryKind,
} from "./store.ts";

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
  id: RedeliveryId,
  workflowUrl: WorkflowUrl,
): Promise<Shown<LocatedRedelivery>> {
  const redelivery = await findRedelivery(sql, tenantId, id);
  if (!redelivery) throw noRedelivery();
  return (await gate.show("Redelivery", located(redelivery, workflowUrl))).record;
}

/** A text of a path as the Id that it can be. @throws NotFound */
export function toRedeliveryId(text: string): RedeliveryId {
  if (!isUuid<RedeliveryId>(text)) throw noRedelivery();
  return text;
}

export function redeliveryWorkflowId(id: RedeliveryId): string {
  return `redeliver/${id}`;
}

/** A redelivery as the API writes it, but for where its workflow is. */
export function toRedeliveryRecord(redelivery: Redelivery) {
  const reason = redelivery.state === "Running" ? reasonToWait(redelivery) : undefined;
  return {
    Id: redelivery.id,
    ConnectionId: redelivery.connectionId,
    Kind: redelivery.kind,
    From: redelivery.from?.toISOString() ?? null,
    To: redelivery.to?.toISOString() ?? null,
    States: redelivery.states,
    Rate: redelivery.rate,
    State: redelivery.state,
    Reason: reason ? `waits for ${reason}` : null,
    Total: redelivery.total,
    Done: redelivery.done,
    Delivered: redelivery.delivered,
    Exhausted: redelivery.exhausted,
    CreatedOn: redelivery.createdOn.toISOString(),
    EndedOn: redelivery.endedOn?.toISOString() ?? null,
  };
}

/** Where a person opens a workflow in the Temporal UI. */
export type WorkflowUrl = (workflowId: string) => string;

/** A redelivery as the API answers it. */
export type LocatedRedelivery = ReturnType<typeof located>;

export function located(redelivery: Redelivery, workflowUrl: WorkflowUrl) {
  const workflowId = redeliveryWorkflowId(redelivery.id);
  return { ...toRedeliveryRecord(redelivery), WorkflowId: workflowId, WorkflowUrl: workflowUrl(workflowId) };
}

/** Why a redelivery that is Running sends nothing just now; undefined: it does. */
export function reasonToWait(redelivery: {
  kind: RedeliveryKind;
  connectionState: ConnectionState;
  draining: boolean;
}): string | undefined {
  const { kind, connectionState, draining } = redelivery;
  if (connectionState !== "Active") return `its connection, which is ${connectionState}`;
  if (kind === "Replay" && draining) return "its connection's Drain";
  return undefined;
}
