export const EVENT_TYPES = ["Created", "Updated", "Deleted"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A person was erased: sent in addition to Deleted, to connections that subscribe to it. */
export const ERASED = "Erased" as const;
export type ChangeType = EventType | typeof ERASED;

/** A test of a connection by an administrator: it is not a change, so connections do not subscribe to it. */
export const PING = "Ping" as const;
export const PING_RECORD = "WebhookConnection";
/** The EventRecord of alerts: Created when raised, Updated when acknowledged, Deleted when ended. */
export const ALERT_RECORD = "Alert";
/** The EventRecord of entries of the audit log: Created when written. */
export const AUDIT_RECORD = "AuditEvent";
export const LOGGED_EVENT_TYPES = [...EVENT_TYPES, ERASED, PING] as const;
export type LoggedEventType = (typeof LOGGED_EVENT_TYPES)[number];

export const HIDDEN_AS_NULL = "null: the caller may not read every event.";

/** The maximum number of characters of a name in a workflow's history; Temporal accepts 400 bytes in total. */
export const NAME_SHOWN = 40;
