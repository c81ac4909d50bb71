/** SPEC.md "Event kinds". */
export const EVENT_TYPES = ["Created", "Updated", "Deleted"] as const;
export type EventType = (typeof EVENT_TYPES)[number];
