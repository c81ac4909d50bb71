export { startActors } from "./actors/starter.ts";
export { startClearing } from "./connections/clearing.ts";
export {
  CONNECTION,
  type ConnectionContract,
  type ConnectionRecord,
  connectionContract,
} from "./connections/contract.ts";
export { createFindConnections } from "./connections/find.ts";
export { pingConnection } from "./connections/ping.ts";
export {
  readConnection,
  readConnections,
  readConnectionsOf,
} from "./connections/read.ts";
export { toConnectionRecord } from "./connections/record.ts";
export { CONNECTION_TAG, connectionRoutes } from "./connections/routes.ts";
export { SEALED as SEALED_BY_WEBHOOKS } from "./connections/sealed.ts";
export { removeConnection, upsertConnection } from "./connections/service.ts";
export { CONNECTION_STATES, type LoggedConnection } from "./connections/store.ts";
export { deadLetterRoutes } from "./dead-letters/routes.ts";
export { type AttemptResult, attemptDelivery, type Unsent } from "./deliveries/attempt.ts";
export { type AttemptLog, createAttemptLog } from "./deliveries/attempt-log.ts";
export { type OpenDelivery, takeTurn } from "./deliveries/opening/store.ts";
export { type KnownRequest, knownRequest, SEQUENCE_LIMIT } from "./deliveries/request.ts";
export { closeOpenDelivery, takeBackAttempt } from "./deliveries/store.ts";
export { startDispatcher } from "./dispatch/dispatcher.ts";
export { createInFlight, type InFlight } from "./dispatch/in-flight.ts";
export { putBack } from "./dispatch/queue.store.ts";
export { startReconciler } from "./dispatch/reconciler.ts";
export { createWindows, type Ending, type Place, QUICK_MS, type Windows } from "./dispatch/windows.ts";
export { EVENT_TYPES, type EventType, LOGGED_EVENT_TYPES, PING, PING_RECORD } from "./events/event-types.ts";
export { type Change as RecordedChange, recordEvent } from "./events/record-event.ts";
export { probe } from "./holding/probe.ts";
export { eventResources } from "./log/attributes.ts";
export { eventFilters, REDELIVER, toEventFilter } from "./log/contract.ts";
export { EXAMPLE_PAYLOAD, EXAMPLE_PING_PAYLOAD } from "./log/examples.ts";
export { readAttempts, readEvent, readEvents, type SeenEvent } from "./log/read.ts";
export { type AttemptRecord, type EventRecord, WORST_FIRST } from "./log/record.ts";
export { eventLogRoutes } from "./log/routes.ts";
export {
  DEFAULT_RATE,
  MOST_RATE,
  REDELIVERY_CHANGE,
  REPLAY_DATA,
  REPLAYED_STATES,
} from "./redelivery/contract.ts";
export { redeliverEvent } from "./redelivery/event/redeliver-event.ts";
export { readRedeliveries, readRedelivery } from "./redelivery/read.ts";
export type { LocatedRedelivery } from "./redelivery/record.ts";
export { redeliveryRoutes } from "./redelivery/routes.ts";
export { followRedelivery } from "./redelivery/sending/follow.ts";
export { cancelRedelivery, changeRedelivery, countRedelivery, createRedelivery } from "./redelivery/service.ts";
export { resourceTypes as webhookResourceTypes } from "./resource-types.ts";
export { MOST_OVERLAP_SECONDS, STAGING } from "./rotation/input.ts";
export { recordProof } from "./rotation/record-proof.ts";
export { secretRoutes } from "./rotation/routes.ts";
export {
  giveUpRotation,
  proveSecret,
  type RotationRecord,
  readRotation,
  stageNewSecret,
} from "./rotation/service.ts";
export { removeFormerSecrets } from "./rotation/store.ts";
export { whyRoutes } from "./why/routes.ts";
export { explainEvent } from "./why/service.ts";
