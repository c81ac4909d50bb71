import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import { type Query, readMoment, readWord } from "../../http/query.ts";
import { readConnectionId } from "../connections/filter.ts";
import { LOGGED_EVENT_TYPES, PING_RECORD } from "../events/event-types.ts";
import type { EventFilter } from "./store.ts";

/** Names of the activity log's filters, in a query. */
export const EVENT_FILTERS = ["EventRecord", "EventType", "State", "ConnectionId", "From", "To"];

/**
 * @param entities names of those that can trigger a webhook
 * @throws BadInput
 */
export function readEventFilter(query: Query, entities: readonly string[]): EventFilter {
  return {
    eventRecord: readWord(query, "EventRecord", [...entities, PING_RECORD]),
    eventType: readWord(query, "EventType", LOGGED_EVENT_TYPES),
    state: readWord(query, "State", DELIVERY_STATES),
    connectionId: readConnectionId(query),
    from: readMoment(query, "From"),
    to: readMoment(query, "To"),
  };
}
