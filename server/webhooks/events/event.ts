// What an event is called.

/** docs/behaviour.md "Connections". */
export const EVENT_TYPES = ["Created", "Updated", "Deleted"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What an administrator sends to try a connection: no change of a record, so no connection subscribes to it. */
export const PING = "Ping" as const;
/** The record that a ping is of. */
export const PING_RECORD = "WebhookConnection";
/** The record of operational events: Created when it is raised, Updated when it is acknowledged, Deleted when it ends. */
export const ALERT_RECORD = "Alert";
export const LOGGED_EVENT_TYPES = [...EVENT_TYPES, PING] as const;
export type LoggedEventType = (typeof LOGGED_EVENT_TYPES)[number];

/** What is documented of counts and the like. */
export const NOT_TOLD = "null: the caller may not read every event.";
