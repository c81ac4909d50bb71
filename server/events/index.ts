// The outbox: events, their deliveries and the rows from which workers start workflows, written in a change's transaction.

export {
  ALERT_RECORD,
  AUDIT_RECORD,
  ERASED,
  EVENT_TYPES,
  type EventType,
  HIDDEN_AS_NULL,
  LOGGED_EVENT_TYPES,
  NAME_SHOWN,
  PING,
  PING_RECORD,
} from "./event.ts";
export {
  type DescribedEvent,
  DISPATCH_CHANNEL,
  describeEvents,
  insertEvent,
  isAlertHeard,
  isSubscribed,
  listRecordKeys,
  wakeQueue,
} from "./store.ts";
export { type Change, recordEvent, recordPing, recordTest } from "./write-event.ts";
