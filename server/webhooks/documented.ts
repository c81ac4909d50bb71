// The calls to receivers, for the OpenAPI document.

export { type EventSubject, eventKinds } from "./catalogue/kinds.ts";
export { CONNECTION_TAG } from "./connections/routes.ts";
export { SEQUENCE_LIMIT } from "./deliveries/posted.ts";
export { EXAMPLE_PAYLOAD, EXAMPLE_PING_PAYLOAD } from "./log/contract.ts";
