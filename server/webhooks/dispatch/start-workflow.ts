import type { Client } from "@temporalio/client";
import {
  type SearchAttributePair,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from "@temporalio/common";
import { type DeliverWebhookInput, type DeliveryState, TASK_QUEUE } from "../../../workflows/contract.ts";
import type { WebhookConfig } from "../../config.ts";
import { traceIdOf } from "../../http/trace-parent.ts";
import { CONNECTION_ID, DELIVERY_STATE, EVENT_RECORD, EVENT_TYPE, TENANT_ID } from "./search-attributes.ts";
import type { Dispatch } from "./store.ts";

/** Temporal caps the attribute's value at 2 KiB; PostgreSQL is the full index. */
const CONNECTION_IDS_SHOWN = 40;

/** The workflow of an event's part; the first part's id is the EventId itself. */
export function workflowId(eventId: string, part: number): string {
  return part === 1 ? eventId : `${eventId}/${part}`;
}

/**
 * Starts the delivery workflow. That it was started before is as good: starting twice is harmless.
 *
 * @returns "eagerly" if its first task runs in this process, "busy" if it must wait until the event's earlier run is
 * closed
 */
export async function startDelivery(
  client: Client,
  retry: WebhookConfig,
  dispatch: Dispatch,
): Promise<"eagerly" | "elsewhere" | "busy"> {
  // All was delivered meanwhile, or cancelled.
  const isEventsOwn = dispatch.part === 1 || dispatch.held > 0;
  if (dispatch.deliveries.length === 0 && (dispatch.again || !isEventsOwn)) return "elsewhere";
  const input: DeliverWebhookInput = {
    tenantId: dispatch.tenantId,
    eventId: dispatch.eventId,
    deliveries: dispatch.deliveries,
    held: dispatch.held,
    retry: { initialInterval: retry.retryInitialInterval, backoffCoefficient: retry.retryBackoff },
    timeout: retry.timeout,
  };
  try {
    const { eagerlyStarted } = await client.workflow.start("deliverWebhook", {
      taskQueue: TASK_QUEUE,
      workflowId: workflowId(dispatch.eventId, dispatch.part),
      ...(dispatch.again
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
      typedSearchAttributes: searchAttributes(dispatch),
      memo: dispatch.traceParent === null ? {} : { TraceId: traceIdOf(dispatch.traceParent) },
      staticSummary: describe(dispatch),
    });
    return eagerlyStarted ? "eagerly" : "elsewhere";
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return dispatch.again ? "busy" : "elsewhere";
    throw error;
  }
}

function searchAttributes(dispatch: Dispatch): SearchAttributePair[] {
  const connectionIds = dispatch.deliveries.slice(0, CONNECTION_IDS_SHOWN).map((delivery) => delivery.connectionId);
  const pairs: SearchAttributePair[] = [
    { key: TENANT_ID, value: dispatch.tenantId },
    { key: EVENT_RECORD, value: dispatch.eventRecord },
    { key: EVENT_TYPE, value: dispatch.eventType },
  ];
  if (connectionIds.length > 0) pairs.push({ key: CONNECTION_ID, value: connectionIds });
  // Upserted by the workflow only if it has something worse to say.
  if (dispatch.held > 0) pairs.push({ key: DELIVERY_STATE, value: "Held" satisfies DeliveryState });
  return pairs;
}

/** What a person reads in the Temporal UI. */
function describe(dispatch: Pick<Dispatch, "eventRecord" | "eventType" | "recordIds" | "held" | "deliveries">): string {
  const [first, ...others] = dispatch.recordIds;
  const records = others.length === 0 ? first : `${first} and ${others.length} more`;
  const change = `${dispatch.eventRecord} ${records} ${dispatch.eventType}`;
  const count = dispatch.deliveries.length;
  const held = dispatch.held > 0 ? `${dispatch.held} held (connection paused or held)` : "";
  if (count === 0) return `${change}: ${held || `no connection for ${dispatch.eventRecord} ${dispatch.eventType}`}`;
  return `${change}: to ${count} ${count === 1 ? "connection" : "connections"}${held ? `, ${held}` : ""}`;
}
