import type { Transaction } from "../../db/connection.ts";
import type { TenantId } from "../../tenants/index.ts";
import type { EventType } from "./event-types.ts";
import { insertEvent } from "./store.ts";

/** SPEC.md "Payload": the version of its format. */
const PAYLOAD_VERSION = "1.0";

/** One committed change, as the entity's own service tells it. */
export interface Change {
  eventType: EventType;
  eventRecord: string;
  /** Of all records concerned. */
  recordIds: string[];
  /** The record in its response shape; of a bulk change, all of them. */
  data: Record<string, unknown> | Record<string, unknown>[];
}

/** Writes the event, its deliveries and its place in the outbox, in the change's own transaction. */
export async function recordEvent(tx: Transaction, tenantId: TenantId, change: Change): Promise<void> {
  const { eventType, eventRecord, recordIds, data } = change;
  const eventId = Bun.randomUUIDv7();
  const occurredOn = new Date();
  // Compact JSON in SPEC.md's field order; this exact text is what every attempt signs and sends.
  const payload = JSON.stringify({
    TenantId: tenantId,
    EventType: eventType,
    EventId: eventId,
    Version: PAYLOAD_VERSION,
    Timestamp: occurredOn.toISOString(),
    EventRecord: eventRecord,
    EventResponse: Array.isArray(data) ? "Array" : "Object",
    Data: data,
  });
  await insertEvent(tx, tenantId, { eventId, occurredOn, payload, eventType, eventRecord, recordIds });
}
