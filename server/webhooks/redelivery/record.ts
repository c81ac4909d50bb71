import { reasonToWait } from "./reason.ts";
import type { Redelivery } from "./store.ts";

export function redeliveryWorkflowId(id: string): string {
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
