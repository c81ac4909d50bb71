// Types, names and one formula shared by the server, the worker and the workflows.

import type { RetryPolicy } from "@temporalio/workflow";
import type {
  CheckId,
  ConnectionId,
  DeliveryId,
  ErasureId,
  EventId,
  LogoutId,
  MailId,
  RedeliveryId,
  TenantId,
} from "../server/platform/ids.ts";

export const TASK_QUEUE = "webhooks";
export const MAX_ATTEMPTS = 3;
/** Events with more deliveries are split into several workflows. */
export const DELIVERIES_PER_WORKFLOW = 500;

/** The parts of a workflow id: types and ids, without personal data. */
export interface EventName {
  eventId: EventId;
  eventRecord: string;
  eventType: string;
  recordIds: string[];
}

/**
 * The workflow id of an event's part.
 * @example "Application/1004/Updated/0197c6f2-3a1b-7c4d-8e5f-60718293a4b5", "Application/3 records/Updated/…/2"
 */
export function workflowId({ eventId, eventRecord, eventType, recordIds }: EventName, part: number): string {
  const [first, ...others] = recordIds;
  const records = others.length === 0 ? first : `${recordIds.length} records`;
  return [eventRecord, records, eventType, eventId, ...(part === 1 ? [] : [part])].join("/");
}

/** Search attributes in Temporal, which must exist before the first workflow starts. */
export const SEARCH_ATTRIBUTES = {
  TenantId: "KEYWORD",
  EventRecord: "KEYWORD",
  EventType: "KEYWORD",
  ConnectionId: "KEYWORD_LIST",
  DeliveryState: "KEYWORD",
} as const;

export const EXHAUSTED = "Exhausted";
/** The failure type of an attempt before a retry. */
export const ATTEMPT_FAILED = "AttemptFailed";
/** Temporal's RetryPolicy of a post: three exponential attempts. Times are milliseconds. */
export type PostRetryPolicy = Required<Record<keyof Omit<RetryPolicy, "nonRetryableErrorTypes">, number>>;

/** The wait after an attempt; the first is 1. */
export function intervalAfter(attempt: number, policy: PostRetryPolicy): number {
  const { initialInterval, backoffCoefficient, maximumInterval } = policy;
  return Math.min(Math.round(initialInterval * backoffCoefficient ** (attempt - 1)), maximumInterval);
}

export interface DeliveryToMake {
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  /** The connection's name, or its id if it has no name, for readers of the history. */
  to: string;
}

/** Ids and retry settings only: payloads, secrets and personal data must not enter a workflow's history. */
export interface DeliverWebhookInput {
  tenantId: TenantId;
  eventId: EventId;
  deliveries: DeliveryToMake[];
  /** Deliveries of the event that are recorded as Held. */
  held: number;
  retry: PostRetryPolicy;
  /** The timeout of one attempt in milliseconds. */
  timeout: number;
  /** For a queued delivery: milliseconds before its attempt, and the task queue for a slow receiver. */
  fromQueue?: { waitMs: number; taskQueue?: string };
}

export interface PostWebhookInput {
  tenantId: TenantId;
  eventId: EventId;
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  retry: PostRetryPolicy;
  /** The connection's rate has already counted the first attempt. */
  fromQueue: boolean;
}

export interface PostWebhookResult {
  /** Queued: it waits in PostgreSQL, and a different workflow continues it. */
  state: "Delivered" | "Cancelled" | "Held" | "Queued";
  /** The number of posts of this delivery so far. */
  attempts: number;
}

export interface CloseDeliveryInput {
  tenantId: TenantId;
  eventId: EventId;
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  /** Whether the workflow is cancelled. */
  cancelled: boolean;
  maximumAttempts: number;
}

/** A delivery's state, with the same name in PostgreSQL, the API and Temporal. */
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
  clientId: number;
  retry: PostRetryPolicy;
  /** The timeout of one attempt in milliseconds. */
  timeout: number;
}

export type PostLogoutInput = Omit<DeliverLogoutInput, "timeout">;

export interface CloseLogoutInput {
  tenantId: TenantId;
  logoutId: LogoutId;
  /** Whether the workflow is cancelled. */
  cancelled: boolean;
  maximumAttempts: number;
}

/** A logout's state, with the same name in PostgreSQL and the API. */
export const LOGOUT_STATES = ["Pending", "Retrying", "Delivered", "Exhausted", "Cancelled"] as const;
export type LogoutState = (typeof LOGOUT_STATES)[number];

export interface LogoutOutcome {
  state: LogoutState;
  attempts: number;
}

/** Ids and retry settings only. */
export interface SendMailInput {
  tenantId: TenantId;
  mailId: MailId;
  retry: PostRetryPolicy;
  /** The timeout of one attempt in milliseconds. */
  timeout: number;
}

export type PostMailInput = Omit<SendMailInput, "timeout">;

export interface CloseMailInput {
  tenantId: TenantId;
  mailId: MailId;
  /** Whether the workflow is cancelled. */
  cancelled: boolean;
  maximumAttempts: number;
}

/** A mail's state, with the same name in PostgreSQL and the API. Held: the mail server is down. */
export const MAIL_STATES = ["Waiting", "Held", "Sent", "Failed", "Bounced"] as const;
export type MailState = (typeof MAIL_STATES)[number];

export interface MailOutcome {
  /** Removed: with its person's data, or by age. */
  state: MailState | "Removed";
  attempts: number;
}

/** A bulk redelivery's state, with the same name in PostgreSQL and the API. */
export const REDELIVERY_STATES = ["Running", "Paused", "Completed", "Cancelled"] as const;
export type RedeliveryState = (typeof REDELIVERY_STATES)[number];

/** The signal to a redelivery's workflow: its wait may be over, or it was paused or cancelled. */
export const REDELIVERY_CHANGED = "changed";
export const REDELIVERY_PROGRESS = "progress";

export interface RedeliverInput {
  tenantId: TenantId;
  redeliveryId: RedeliveryId;
  progress?: RedeliveryProgress;
}

export interface RedeliveryProgress {
  state: RedeliveryState;
  /** Deliveries known so far. */
  total: number;
  /** Ended deliveries; those neither Delivered nor Exhausted were held or cancelled. */
  done: number;
  delivered: number;
  exhausted: number;
  /** Why nothing is being sent. */
  waitsFor?: string;
  /** True if it waits only for retries, which send no signal. */
  retrying?: boolean;
}

/** An erasure's state, with the same name in PostgreSQL and the API. */
export const ERASURE_STATES = ["Running", "Completed"] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** The signal to an erasure's workflow: its treatment of deliveries was changed. */
export const ERASURE_CHANGED = "changed";

export interface EraseInput {
  tenantId: TenantId;
  erasureId: ErasureId;
}

export interface ErasureProgress {
  state: ErasureState;
  /** Deliveries and logouts that it waits for. */
  open: number;
}

/** The signal to a connection's probing workflow: the connection may no longer be Held. */
export const PROBE_CHANGED = "changed";

export interface ProbeInput {
  tenantId: TenantId;
  connectionId: ConnectionId;
  /** The last probe's result, from the run before. */
  last?: string | undefined;
}

export type ProbeResult =
  | { held: false }
  | {
      held: true;
      reason: string;
      /** The number of probes, and the last one's result if it has just ended. */
      probes: number;
      last?: string;
      /** Milliseconds until the next probe. */
      waitMs: number;
    };

export interface CheckInput {
  tenantId: TenantId;
  connectionId: ConnectionId;
  checkId: CheckId;
}

export interface MaintenanceResult {
  keys: { announced: string[]; removed: string[] };
  removed: Record<string, number>;
}

/** The state of an import of invitations, with the same name in PostgreSQL and the API. */
export const IMPORT_STATES = ["Running", "Paused", "Completed", "Cancelled"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export interface InviteInput {
  tenantId: TenantId;
  importId: string;
}

export interface ImportProgress {
  state: ImportState;
  total: number;
  /** Invited and skipped. */
  done: number;
  invited: number;
}
