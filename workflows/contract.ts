// Types, names and the one formula that the server, the worker and the workflows share.

import type { RetryPolicy } from "@temporalio/workflow";
import type { ConnectionId, DeliveryId, EventId, LogoutId, RedeliveryId, TenantId } from "../server/ids.ts";

export const TASK_QUEUE = "webhooks";
export const MAX_ATTEMPTS = 3;
/** An event with more deliveries is split over several workflows. */
export const DELIVERIES_PER_WORKFLOW = 500;

/** What a workflow of an event is called by: names of types and ids, no person's data. */
export interface EventName {
  eventId: EventId;
  eventRecord: string;
  eventType: string;
  recordIds: string[];
}

/**
 * The workflow of an event's part.
 * @example "Application/1004/Updated/0197c6f2-3a1b-7c4d-8e5f-60718293a4b5", "Application/3 records/Updated/…/2"
 */
export function workflowId({ eventId, eventRecord, eventType, recordIds }: EventName, part: number): string {
  const [first, ...others] = recordIds;
  const records = others.length === 0 ? first : `${recordIds.length} records`;
  return [eventRecord, records, eventType, eventId, ...(part === 1 ? [] : [part])].join("/");
}

/** What a workflow is found by in Temporal; a cluster must know them before the first one starts. */
export const SEARCH_ATTRIBUTES = {
  TenantId: "KEYWORD",
  EventRecord: "KEYWORD",
  EventType: "KEYWORD",
  ConnectionId: "KEYWORD_LIST",
  DeliveryState: "KEYWORD",
} as const;

/** The one failure type of a finished delivery, in activities and in the workflow. */
export const EXHAUSTED = "Exhausted";
/** The failure type of an attempt that is followed by another. */
export const ATTEMPT_FAILED = "AttemptFailed";
/** Temporal's RetryPolicy of a post: three exponential attempts. Times are milliseconds. */
export type PostRetryPolicy = Required<Record<keyof Omit<RetryPolicy, "nonRetryableErrorTypes">, number>>;

/** The policy's wait after an attempt, the first of which is 1. */
export function intervalAfter(attempt: number, policy: PostRetryPolicy): number {
  const { initialInterval, backoffCoefficient, maximumInterval } = policy;
  return Math.min(Math.round(initialInterval * backoffCoefficient ** (attempt - 1)), maximumInterval);
}

export interface DeliveryToMake {
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  /** The connection's name, or its id if it has none: for people who read the history. */
  to: string;
}

/** Ids and retry settings only: no payload, no secret and no personal data may enter a workflow's history. */
export interface DeliverWebhookInput {
  tenantId: TenantId;
  eventId: EventId;
  deliveries: DeliveryToMake[];
  /** Deliveries of the event that are recorded and wait for their connection. */
  held: number;
  retry: PostRetryPolicy;
  /** Milliseconds one attempt may take. */
  timeout: number;
  /** Of one delivery that comes from the queue: milliseconds before its attempt, and where a slow receiver is posted from. */
  fromQueue?: { waitMs: number; taskQueue?: string };
}

export interface PostWebhookInput {
  tenantId: TenantId;
  eventId: EventId;
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  retry: PostRetryPolicy;
  /** Its connection's rate has counted the first attempt. */
  fromQueue: boolean;
}

export interface PostWebhookResult {
  /** Queued: it waits in PostgreSQL, and another workflow goes on with it. */
  state: "Delivered" | "Cancelled" | "Held" | "Queued";
  /** Posts made so far for this delivery, this one included. */
  attempts: number;
}

export interface CloseDeliveryInput {
  tenantId: TenantId;
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  /** Whether the workflow is. */
  cancelled: boolean;
  maximumAttempts: number;
}

/** A delivery's place in its life; the same word in PostgreSQL, the API and Temporal. */
export const DELIVERY_STATES = ["Pending", "Retrying", "Delivered", "Exhausted", "Held", "Cancelled"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliveryOutcome {
  connectionId: ConnectionId;
  state: DeliveryState | "Queued";
  attempts: number;
  /** Why it was not delivered: host, status and one word. */
  reason?: string;
}

/** Ids and retry settings only. */
export interface DeliverLogoutInput {
  tenantId: TenantId;
  logoutId: LogoutId;
  /** The Application's Id. */
  clientId: number;
  retry: PostRetryPolicy;
  /** Milliseconds one attempt may take. */
  timeout: number;
}

export type PostLogoutInput = Omit<DeliverLogoutInput, "timeout">;

export interface CloseLogoutInput {
  tenantId: TenantId;
  logoutId: LogoutId;
  /** Whether the workflow is. */
  cancelled: boolean;
  maximumAttempts: number;
}

/** A logout's place in its life; the same word in PostgreSQL and the API. */
export const LOGOUT_STATES = ["Pending", "Retrying", "Delivered", "Exhausted", "Cancelled"] as const;
export type LogoutState = (typeof LOGOUT_STATES)[number];

export interface LogoutOutcome {
  state: LogoutState;
  attempts: number;
}

/** A bulk redelivery's place in its life; the same word in PostgreSQL and the API. */
export const REDELIVERY_STATES = ["Running", "Paused", "Completed", "Cancelled"] as const;
export type RedeliveryState = (typeof REDELIVERY_STATES)[number];

/** Signal to a redelivery's workflow: something it waits for may have come, or it was paused or cancelled. */
export const REDELIVERY_CHANGED = "changed";
/** Query that answers RedeliveryProgress. */
export const REDELIVERY_PROGRESS = "progress";

export interface RedeliverInput {
  tenantId: TenantId;
  redeliveryId: RedeliveryId;
  /** As the run before has left it. */
  progress?: RedeliveryProgress;
}

export interface RedeliveryProgress {
  state: RedeliveryState;
  /** Deliveries, as far as is known by now. */
  total: number;
  /** Of these, what has come to an end; whatever is neither Delivered nor Exhausted was held or cancelled meanwhile. */
  done: number;
  delivered: number;
  exhausted: number;
  /** Why nothing is to be sent just now, in words. */
  waitsFor?: string;
  /** True if it waits for nothing but retries of what it has sent, which nobody tells it of. */
  retrying?: boolean;
}

/** Signal to a connection's probing workflow: it may be Held no more. */
export const PROBE_CHANGED = "changed";

export interface ProbeInput {
  tenantId: TenantId;
  connectionId: ConnectionId;
}

export type ProbeResult =
  | { held: false }
  | {
      held: true;
      /** Why it is Held. */
      reason: string;
      /** Probes since then, and what the last one came to, if it was just now. */
      probes: number;
      last?: string;
      /** Milliseconds until the next one. */
      waitMs: number;
    };

/** What a run of the maintenance found to do. */
export interface MaintenanceResult {
  /** Ids of signing keys. */
  keys: { announced: string[]; removed: string[] };
  /** Rows removed, by table. */
  removed: Record<string, number>;
}
