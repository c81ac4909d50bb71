// Webhooks: connections, the engine that sends deliveries, the log of what was sent, and alerts.
// It imports platform/ and records/; identity/ and the console read from it.
// Begin with docs/sending.md, then deliveries/dispatcher.ts and activities/.

export {
  ACKNOWLEDGEMENT,
  ALERT,
  ALERT_DESCRIPTION,
  ALERT_FILTERS,
  ALERT_STATES,
  type AlertKind,
} from "./alerts/contract.ts";
export { type AlertRecord, createAlerts, MAX_UNSEEN } from "./alerts/service.ts";
export {
  CONNECTION,
  CONNECTION_STATES,
  type ConnectionContract,
  type ConnectionRecord,
  connectionContract,
} from "./connection.ts";
export { DISCARD, type DiscardInput } from "./connections/discard.ts";
export { toConnectionId } from "./connections/record.ts";
export { MAX_OVERLAP_SECONDS, type RotationRecord, STAGING } from "./connections/rotation.ts";
export { CONNECTION_TAG } from "./connections/routes.ts";
export type { Connections } from "./connections/service.ts";
export type { LoggedConnection } from "./connections.store.ts";
export { endingOf, outcomeOf } from "./deliveries/outcome.ts";
export { type KnownRequest, SEQUENCE_LIMIT } from "./deliveries/request.ts";
export { type AttemptResult, resultOf, type Unsent } from "./deliveries/send-signed.ts";
export type { Attempt } from "./deliveries/store.ts";
export { createWindows } from "./deliveries/windows.ts";
export { createDeliveryEngine, type DeliveryEngine } from "./engine.ts";
export { WEBHOOKS_EXPIRED } from "./expired.ts";
export type { Health } from "./figures/health.store.ts";
export type { OutcomeCount } from "./figures/outcomes.store.ts";
export { type Slice, SPAN_NAMES, type Span, type StatisticsRecord } from "./figures/statistics.ts";
export type { StatusRecord } from "./figures/status.ts";
export {
  ASKED_STATES,
  EXAMPLE_PAYLOAD,
  EXAMPLE_PING_PAYLOAD,
  eventFilters,
  PAST_STATES,
  REDELIVER,
  type ResentRecord,
  toEventId,
} from "./log/contract.ts";
export type { RecentDelivery } from "./log/recent.store.ts";
export { type AttemptRecord, type EventRecord, WORST_FIRST } from "./log/record.ts";
export type { SeenEvent } from "./log/service.ts";
export {
  DEFAULT_RATE,
  MAX_RATE,
  REDELIVERY_CHANGE,
  REDELIVERY_FILTERS,
  REDELIVERY_KINDS,
  REPLAY_DATA,
  REPLAYED_STATES,
  type RedeliveryRecord,
  type ReplayInput,
} from "./redelivery/contract.ts";
export { toRedeliveryId } from "./redelivery/record.ts";
export { resourceTypes as webhookResourceTypes } from "./resource-types.ts";
export { type WebhookRoutes, webhookRoutes } from "./routes.ts";
export { SEALED as SEALED_BY_WEBHOOKS } from "./secrets.ts";
export { createWebhooks, type WebhookServices } from "./services.ts";
export { generateSecret } from "./signature.ts";
export { isOpen } from "./states.store.ts";
