import type { Client } from "@temporalio/client";
import {
  type SearchAttributePair,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from "@temporalio/common";
import { type DeliverWebhookInput, type DeliveryState, TASK_QUEUE, workflowId } from "../../../workflows/contract.ts";
import type { Config } from "../../platform/config/config.ts";
import { traceIdOf } from "../../platform/http/context.ts";
import { policyInWords, retryPolicy } from "../../platform/temporal/retry-policy.ts";
import {
  CONNECTION_ID,
  DELIVERY_STATE,
  EVENT_RECORD,
  EVENT_TYPE,
  TENANT_ID,
} from "../../platform/temporal/search-attributes.ts";
import { detailsLink, inBytes } from "../../platform/temporal/ui-texts.ts";
import type { WorkflowToStart } from "./dispatch.store.ts";
import { STARTING_MS } from "./starting.ts";

export type DeliveryConfig = Pick<Config, "webhooks" | "publicUrl">;

/** The SDK may retry for 2.5 times as long, so a start ends before other workers take over. */
const DEADLINE_MS = STARTING_MS / 3;
const NAMES_SHOWN = 3;
/** Temporal limits the attribute to 2 KiB; PostgreSQL has the full index. */
const CONNECTION_IDS_SHOWN = 40;

/**
 * Idempotent: an event's workflow that was already started counts as success.
 * @param fromQueue for a queued delivery: its task queue and delay
 * @returns "eagerly" if its first task runs in this process, "busy" if an earlier run must close first
 */
export async function startDelivery(
  client: Client,
  { webhooks, publicUrl }: DeliveryConfig,
  workflow: WorkflowToStart,
  fromQueue?: DeliverWebhookInput["fromQueue"],
): Promise<"eagerly" | "elsewhere" | "busy"> {
  const retry = retryPolicy(webhooks);
  const input: DeliverWebhookInput = {
    tenantId: workflow.tenantId,
    eventId: workflow.eventId,
    deliveries: workflow.deliveries,
    held: workflow.held,
    retry,
    timeout: webhooks.timeout,
    ...(fromQueue && { fromQueue }),
  };
  try {
    const start = () =>
      client.workflow.start("deliverWebhook", {
        taskQueue: TASK_QUEUE,
        workflowId: workflowId(workflow, workflow.part),
        ...(fromQueue
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
        memo: memoOf(workflow, publicUrl),
        staticSummary: describe(workflow),
        staticDetails: `${detailsLink("The event", publicUrl, `activity/${workflow.eventId}`)}. ${policyInWords(retry)}.`,
      });
    const { eagerlyStarted } = await client.withDeadline(Date.now() + DEADLINE_MS, start);
    return eagerlyStarted ? "eagerly" : "elsewhere";
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return fromQueue ? "busy" : "elsewhere";
    throw error;
  }
}

/** Each attribute costs CPU in Temporal: lists of record ids and connection names took a sixth of the total. */
function searchAttributes(workflow: WorkflowToStart): SearchAttributePair[] {
  const connectionIds = workflow.deliveries.slice(0, CONNECTION_IDS_SHOWN).map((delivery) => delivery.connectionId);
  const pairs: SearchAttributePair[] = [
    { key: TENANT_ID, value: workflow.tenantId },
    { key: EVENT_RECORD, value: workflow.eventRecord },
    { key: EVENT_TYPE, value: workflow.eventType },
  ];
  if (connectionIds.length > 0) pairs.push({ key: CONNECTION_ID, value: connectionIds });
  // The workflow updates it only to a worse state.
  if (workflow.held > 0) pairs.push({ key: DELIVERY_STATE, value: "Held" satisfies DeliveryState });
  return pairs;
}

/** The workflow that failed has ended, so only the one that sends again can say so. */
function memoOf({ traceParent, sentAgain, redeliveryId, ...event }: WorkflowToStart, publicUrl: string) {
  return {
    ...(traceParent !== null && { TraceId: traceIdOf(traceParent) }),
    ...(sentAgain && {
      SentAgain: `time ${sentAgain}, after ${workflowId(event, 1)}`,
      ...(redeliveryId && { Redelivery: `${publicUrl}/settings/redeliveries/${redeliveryId}` }),
    }),
  };
}

/** The summary in the Temporal UI. @example "Application Payroll Updated → billing, crm" */
function describe({
  eventRecord,
  eventType,
  recordIds,
  recordName,
  deliveries,
  queued,
  held,
  total = 0,
}: WorkflowToStart): string {
  const [first, ...others] = recordIds;
  const record = others.length === 0 ? recordName || first : `${first} and ${others.length} more`;
  const names = deliveries.slice(0, NAMES_SHOWN).map(({ to }) => to);
  if (deliveries.length > NAMES_SHOWN) names.push(`${deliveries.length - NAMES_SHOWN} more`);
  const ends = [
    names.join(", "),
    queued > 0 ? `${queued} queued, each with its own workflow` : "",
    held > 0 ? `${held} held (connection paused, held or pulled)` : "",
  ].filter(Boolean);
  const change = `${eventRecord} ${record} ${eventType}`;
  // A consumer may be faster than the dispatch.
  if (ends.length === 0 && total > 0) return inBytes(`${change}: its deliveries have ended`);
  if (ends.length === 0) return `${change}: no connection for ${eventRecord} ${eventType}`;
  return inBytes(`${change} → ${ends.join("; ")}`);
}
