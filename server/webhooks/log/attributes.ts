import { PING } from "../events/event-types.ts";
import type { LoggedEvent, WithPayload } from "./store.ts";

type Described = Pick<LoggedEvent, "id" | "eventType" | "eventRecord" | "recordIds" | "occurredOn">;

/** What an event itself is, as the API writes it and as policies see it. */
export function toEventAttributes(event: Described) {
  return {
    EventId: event.id,
    EventType: event.eventType,
    EventRecord: event.eventRecord,
    // The payload has them all. None stands for the others, for a policy may permit to read of this one alone.
    RecordId: event.recordIds.length === 1 ? event.recordIds[0]! : null,
    RecordCount: event.recordIds.length,
    Timestamp: event.occurredOn.toISOString(),
  };
}

/**
 * What policies are asked for of an event: with each record of its payload one, where they ask for records.
 * @param payload undefined: nobody has loaded it, for they do not
 */
export function eventResources(event: Described & Partial<WithPayload>): object[] {
  const attributes = toEventAttributes(event);
  if (event.payload === undefined || event.eventType === PING) return [attributes];
  return recordsOf(event.payload).map((record) => ({ ...attributes, [event.eventRecord]: record }));
}

/** An event's records as its payload has them. */
export function recordsOf(payload: string): Record<string, unknown>[] {
  return [JSON.parse(payload).Data].flat();
}
