// Webhooks: connections, the engine that sends deliveries, the log of what was sent, and alerts.
// It imports platform/ and records/; identity/ and the console read from it.
// Begin with docs/sending.md, then deliveries/dispatcher.ts and activities/.

export {
  ACKNOWLEDGEMENT,
  ALERT,
} from "./alerts/contract.ts";
export { type AlertRecord, MAX_UNSEEN } from "./alerts/service.ts";
export {
  CONNECTION,
  type ConnectionRecord,
  connectionContract,
} from "./connection.ts";
export { DISCARD } from "./connections/discard.ts";
export { toConnectionId } from "./connections/record.ts";
export * as secretRotation from "./connections/secret-rotation.ts";
export type { LoggedConnection } from "./connections.store.ts";
export type { KnownRequest } from "./deliveries/attempt-request.ts";
export { createDeliveryEngine, type DeliveryEngine } from "./delivery-engine.ts";
export * as documented from "./documented.ts";
export { WEBHOOKS_EXPIRED } from "./expired.ts";
export type { Health } from "./figures/connection-health.store.ts";
export type { OutcomeCount } from "./figures/outcomes.store.ts";
export { SPAN_NAMES, type StatisticsRecord } from "./figures/statistics.ts";
export type { StatusRecord } from "./figures/status.ts";
export {
  REDELIVER,
  type ResentRecord,
  toEventId,
} from "./log/contract.ts";
export type { RecentDelivery } from "./log/recent.store.ts";
export { type AttemptRecord, type EventRecord, WORST_FIRST } from "./log/record.ts";
export type { SeenEvent } from "./log/service.ts";
export * as posting from "./posting.ts";
export {
  REDELIVERY_CHANGE,
  REPLAY,
  REPLAY_DATA,
  type RedeliveryRecord,
} from "./redelivery/contract.ts";
export { toRedeliveryId } from "./redelivery/record.ts";
export { resourceTypes as webhookResourceTypes } from "./resource-types.ts";
export { type WebhookRoutes, webhookRoutes } from "./routes.ts";
export { SEALED as SEALED_BY_WEBHOOKS } from "./secrets.ts";
export { createWebhooks, type WebhookServices } from "./services.ts";
export { generateSecret } from "./signature.ts";
export type { StatementRecord } from "./statements/contract.ts";
export { createStatements } from "./statements/service.ts";
export { isOpen } from "./states.store.ts";
