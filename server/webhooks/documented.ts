// The calls to receivers and the kinds of alerts, for the OpenAPI document and for settings.

export { ALERT_KINDS, type AlertKind } from "./alerts/contract.ts";
export { type EventSubject, eventKinds } from "./catalogue/kinds.ts";
export { CONNECTION_TAG } from "./connections/routes.ts";
export { SEQUENCE_LIMIT } from "./deliveries/posted.ts";
export { EXAMPLE_PAYLOAD, EXAMPLE_PING_PAYLOAD } from "./log/contract.ts";
