import type { Client } from "@temporalio/client";
import {
  type SearchAttributePair,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from "@temporalio/common";
import { type DeliverWebhookInput, type DeliveryState, TASK_QUEUE, workflowId } from "../../../workflows/contract.ts";
import type { WebhookConfig } from "../../config.ts";
import { traceIdOf } from "../../http/trace-parent.ts";
import { CONNECTION_ID, DELIVERY_STATE, EVENT_RECORD, EVENT_TYPE, TENANT_ID } from "./search-attributes.ts";
import type { WorkflowToStart } from "./store.ts";

/** Temporal caps the attribute's value at 2 KiB; PostgreSQL is the full index. */
const CONNECTION_IDS_SHOWN = 40;

/**
 * Starts a delivery workflow. That an event's own was started before is as good: starting twice is harmless.
 *
 * @param own of a delivery from the queue: where it is posted from, and when
 * @returns "eagerly" if its first task runs in this process, "busy" if it must wait until an earlier run is closed
 */
export async function startDelivery(
  client: Client,
  retry: WebhookConfig,
  workflow: WorkflowToStart,
  own?: DeliverWebhookInput["own"],
): Promise<"eagerly" | "elsewhere" | "busy"> {
  const input: DeliverWebhookInput = {
    tenantId: workflow.tenantId,
    eventId: workflow.eventId,
    deliveries: workflow.deliveries,
    held: workflow.held,
    retry: { initialInterval: retry.retryInitialInterval, backoffCoefficient: retry.retryBackoff },
    timeout: retry.timeout,
    ...(own && { own }),
  };
  try {
    const { eagerlyStarted } = await client.workflow.start("deliverWebhook", {
      taskQueue: TASK_QUEUE,
      workflowId: workflowId(workflow.eventId, workflow.part),
      ...(own
        ? {
            workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
            workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
          }
        : {
            workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
            workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          }),
      requestEagerStart: true,
      args: [input],
      typedSearchAttributes: searchAttributes(workflow),
      memo: workflow.traceParent === null ? {} : { TraceId: traceIdOf(workflow.traceParent) },
      staticSummary: describe(workflow),
    });
    return eagerlyStarted ? "eagerly" : "elsewhere";
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return own ? "busy" : "elsewhere";
    throw error;
  }
}

function searchAttributes(workflow: WorkflowToStart): SearchAttributePair[] {
  const connectionIds = workflow.deliveries.slice(0, CONNECTION_IDS_SHOWN).map((delivery) => delivery.connectionId);
  const pairs: SearchAttributePair[] = [
    { key: TENANT_ID, value: workflow.tenantId },
    { key: EVENT_RECORD, value: workflow.eventRecord },
    { key: EVENT_TYPE, value: workflow.eventType },
  ];
  if (connectionIds.length > 0) pairs.push({ key: CONNECTION_ID, value: connectionIds });
  // Upserted by the workflow only if it has something worse to say.
  if (workflow.held > 0) pairs.push({ key: DELIVERY_STATE, value: "Held" satisfies DeliveryState });
  return pairs;
}

/** What a person reads in the Temporal UI. */
function describe(workflow: WorkflowToStart): string {
  const [first, ...others] = workflow.recordIds;
  const records = others.length === 0 ? first : `${first} and ${others.length} more`;
  const change = `${workflow.eventRecord} ${records} ${workflow.eventType}`;
  const count = workflow.deliveries.length;
  const held = workflow.held > 0 ? `${workflow.held} held (connection paused or held)` : "";
  const to = count > 0 ? `to ${count} ${count === 1 ? "connection" : "connections"}` : "";
  const queued = workflow.queued > 0 ? `${workflow.queued} queued, each with a workflow of its own` : "";
  const nobody = `no connection for ${workflow.eventRecord} ${workflow.eventType}`;
  return `${change}: ${[to, queued, held].filter(Boolean).join(", ") || nobody}`;
}
