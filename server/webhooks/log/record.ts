// An event and its attempts as the API writes them.

import { type DeliveryState, workflowId } from "../../../workflows/contract.ts";
import { toEventAttributes } from "./attributes.ts";
import type { LoggedAttempt, LoggedEvent } from "./store.ts";

/** Where a person opens a workflow in the Temporal UI. */
export type WorkflowUrl = (workflowId: string) => string;

/** From the most to the least urgent. */
export const WORST_FIRST: readonly DeliveryState[] = [
  "Exhausted",
  "Held",
  "Retrying",
  "Pending",
  "Cancelled",
  "Delivered",
];

export type EventRecord = ReturnType<typeof toEventRecord>;
export type AttemptRecord = ReturnType<typeof toAttemptRecord>;

export function toEventRecord(event: LoggedEvent, workflowUrl: WorkflowUrl) {
  return {
    ...toEventAttributes(event),
    State: WORST_FIRST.find((state) => event.deliveries.some((delivery) => delivery.state === state)) ?? null,
    Reason: reasonNobodyGotIt(event),
    WorkflowId: event.id,
    WorkflowUrl: workflowUrl(event.id),
    Deliveries: event.deliveries.map((delivery) => ({
      Id: delivery.id,
      ConnectionId: delivery.connectionId,
      State: delivery.state,
      AttemptCount: delivery.attempts,
      WorkflowId: workflowId(event.id, delivery.part),
      WorkflowUrl: workflowUrl(workflowId(event.id, delivery.part)),
    })),
  };
}

/** Why a delivery is Held, by the state of its connection. */
const WHY_HELD = {
  Paused: "connection paused",
  Held: "connection held",
  Active: "what the connection has missed before is sent first",
};

/** In words, or null if somebody got it or will. */
function reasonNobodyGotIt({ eventRecord, eventType, deliveries }: LoggedEvent): string | null {
  if (deliveries.length === 0) return `no connection for ${eventRecord} ${eventType}`;
  if (deliveries.some(({ state }) => state !== "Held")) return null;
  const words = deliveries.map(({ connectionState, drainPaused }) => {
    const isWaiting = connectionState === "Active" && drainPaused;
    return isWaiting ? `${WHY_HELD.Active}, and its Drain is paused` : WHY_HELD[connectionState];
  });
  return [...new Set(words)].toSorted().join(", ");
}

/** @param isSeen whether its reader may see what the receiver has answered */
export function toAttemptRecord(attempt: LoggedAttempt, isSeen: boolean) {
  return {
    Number: attempt.number,
    Run: attempt.run,
    StartedOn: attempt.startedOn.toISOString(),
    DurationMs: attempt.durationMs,
    StatusCode: attempt.statusCode,
    Failure: attempt.failure,
    Response: isSeen ? { Headers: attempt.responseHeaders ?? "", Body: attempt.responseBody ?? "" } : null,
  };
}
