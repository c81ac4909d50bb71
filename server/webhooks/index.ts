export { startActors } from "./actors.ts";
export {
  CONNECTION,
  CONNECTION_STATES,
  type ConnectionContract,
  type ConnectionRecord,
  connectionContract,
} from "./connection.ts";
export { startClearing } from "./connections/clearing.ts";
export { DISCARD, type DiscardInput, discardRoutes } from "./connections/discard.ts";
export { probe } from "./connections/probe.ts";
export { toConnectionId } from "./connections/record.ts";
export { removeFormerSecrets } from "./connections/rotation.store.ts";
export { MAX_OVERLAP_SECONDS, type RotationRecord, recordProof, STAGING } from "./connections/rotation.ts";
export { secretRoutes } from "./connections/rotation-routes.ts";
export { CONNECTION_FILTERS, CONNECTION_TAG, connectionRoutes } from "./connections/routes.ts";
export type { Connections } from "./connections/service.ts";
export { testRoutes } from "./connections/test-event.ts";
export type { LoggedConnection } from "./connections.store.ts";
export {
  type AttemptDelivery,
  type AttemptResult,
  createAttemptDelivery,
  resultOf,
  type Unsent,
} from "./deliveries/attempt.ts";
export { type AttemptLog, createAttemptLog } from "./deliveries/attempt-log.ts";
export { startDispatcher } from "./deliveries/dispatcher.ts";
export { createInFlight, type InFlight } from "./deliveries/in-flight.ts";
export { FAILURE_PAUSE_MS } from "./deliveries/loop.ts";
export { type ClosedDelivery, type OpenDelivery, takeTurn } from "./deliveries/opening.store.ts";
export { endingOf, outcomeOf } from "./deliveries/outcome.ts";
export { putBack } from "./deliveries/queue.store.ts";
export { startReconciler } from "./deliveries/reconciler.ts";
export { type KnownRequest, SEQUENCE_LIMIT } from "./deliveries/request.ts";
export { policyInWords, retryPolicy } from "./deliveries/retry-policy.ts";
export { createStartTroubles } from "./deliveries/start-troubles.ts";
export { detailsLink, inBytes, TENANT_ID } from "./deliveries/start-workflow.ts";
export { type Attempt, closeOpenDelivery, takeBackAttempt } from "./deliveries/store.ts";
export { createWindows, QUICK_MS, type WindowPlace, type Windows } from "./deliveries/windows.ts";
export { type Counts, type HourCount, outcomes } from "./figures/day.store.ts";
export type { Health } from "./figures/health.store.ts";
export { figureRoutes } from "./figures/routes.ts";
export { type Slice, SPAN_NAMES, type Span, type StatisticsRecord } from "./figures/statistics.ts";
export type { StatusRecord } from "./figures/status.ts";
export { startWindowReport } from "./figures/window-report.ts";
export {
  EXAMPLE_PAYLOAD,
  EXAMPLE_PING_PAYLOAD,
  eventFilters,
  REDELIVER,
  toEventFilter,
  toEventId,
} from "./log/contract.ts";
export { deadLetterRoutes } from "./log/dead-letters.ts";
export type { RecentDelivery } from "./log/recent.store.ts";
export { type AttemptRecord, type EventRecord, WORST_FIRST } from "./log/record.ts";
export { type ResentRecord, resentRoutes } from "./log/resent.ts";
export { eventLogRoutes } from "./log/routes.ts";
export type { SeenEvent } from "./log/service.ts";
export { ASKED_STATES, PAST_STATES } from "./log/store.ts";
export { whyRoutes } from "./log/why.ts";
export {
  DEFAULT_RATE,
  MAX_RATE,
  REDELIVERY_CHANGE,
  REPLAY_DATA,
  REPLAYED_STATES,
  type ReplayInput,
} from "./redelivery/contract.ts";
export { followRedelivery } from "./redelivery/follow.ts";
export { type LocatedRedelivery, toRedeliveryId } from "./redelivery/record.ts";
export { redeliveryRoutes } from "./redelivery/routes.ts";
export { cancelRedelivery } from "./redelivery/service.ts";
export { REDELIVERY_KINDS } from "./redelivery/store.ts";
export { resourceTypes as webhookResourceTypes } from "./resource-types.ts";
export { SEALED as SEALED_BY_WEBHOOKS } from "./secrets.ts";
export { createWebhooks, type WebhookServices } from "./services.ts";
export { generateSecret } from "./signature.ts";
export { isOpen } from "./states.store.ts";
