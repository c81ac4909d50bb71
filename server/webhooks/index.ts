export { connectionsController } from "./connections/routes.ts";
export { attemptDelivery } from "./deliveries/attempt.ts";
export { closeOpenDelivery, type OpenDelivery, openAttempt, recordAttempt } from "./deliveries/store.ts";
export { startDispatcher } from "./dispatch/dispatcher.ts";
export { createInFlight, type InFlight } from "./dispatch/in-flight.ts";
export { startReconciler } from "./dispatch/reconciler.ts";
export { EVENT_TYPES, type EventType } from "./events/event-types.ts";
export { recordEvent } from "./events/record-event.ts";
export { eventLogController } from "./log/routes.ts";
