import type { LoggedEvent } from "./store.ts";

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
