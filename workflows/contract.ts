// Types and names that the server, the worker and the workflows share.

/** The task queue of webhook deliveries. */
export const TASK_QUEUE = "webhooks";
export const MAXIMUM_ATTEMPTS = 3;
/** An event with more deliveries is split over `EventId`, `EventId/2`, … */
export const DELIVERIES_PER_WORKFLOW = 500;

/** The one failure type of a finished delivery, in activities and in the workflow. */
export const EXHAUSTED = "Exhausted";

/** Ids and retry settings only: no payload, no secret and no personal data may enter a workflow's history. */
export interface DeliverWebhookInput {
  tenantId: string;
  eventId: string;
  deliveries: { deliveryId: string; connectionId: string }[];
  retry: {
    /** Milliseconds before the second attempt. */
    initialInterval: number;
    backoffCoefficient: number;
  };
  /** Milliseconds one attempt may take. */
  timeout: number;
}

export interface PostWebhookInput {
  tenantId: string;
  deliveryId: string;
  maximumAttempts: number;
}

export interface PostWebhookResult {
  state: "Delivered" | "Cancelled";
  /** Posts made for this delivery, this one included. */
  attempts: number;
}

export interface CloseDeliveryInput {
  tenantId: string;
  deliveryId: string;
}

/** A delivery's place in its life; the same word in PostgreSQL, the API and Temporal. */
export const DELIVERY_STATES = ["Pending", "Retrying", "Delivered", "Exhausted", "Held", "Cancelled"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliveryOutcome {
  connectionId: string;
  state: DeliveryState;
  attempts: number;
  /** Why it was not delivered: host, status and one word. */
  reason?: string;
}

/** What a run of the maintenance found to do. */
export interface MaintenanceResult {
  /** Ids of signing keys. */
  keys: { announced: string[]; removed: string[] };
  /** Rows removed, by table. */
  removed: Record<string, number>;
}
