// What an event is called, and its EventId.

import type { EventId } from "../../../workflows/contract.ts";
/** docs/behaviour.md "Connections". */
export const EVENT_TYPES = ["Created", "Updated", "Deleted"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What an administrator sends to try a connection: no change of a record, so no connection subscribes to it. */
export const PING = "Ping";
/** The record that a ping is of. */
export const PING_RECORD = "WebhookConnection";
export const LOGGED_EVENT_TYPES = [...EVENT_TYPES, PING] as const;
export type LoggedEventType = (typeof LOGGED_EVENT_TYPES)[number];

// An EventId is a UUIDv7 (RFC 9562 5.7): its first 48 bits are milliseconds since 1970, and they are the event's time.

export function timeOf(eventId: EventId): Date {
  return new Date(Number.parseInt(eventId.replace("-", "").slice(0, 12), 16));
}

/** No event of this time or later has a lower one. */
export function lowestIdOf(time: Date): EventId {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000` as EventId;
}
