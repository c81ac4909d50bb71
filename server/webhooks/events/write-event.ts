import type { Transaction } from "../../db/sql.ts";
import { type ConnectionId, type EventId, newId, type TenantId, timeOfId } from "../../ids.ts";
import { type EventType, type LoggedEventType, PING, PING_RECORD } from "./event.ts";
import { insertEvent, insertPing, type NewEvent } from "./store.ts";

/** docs/behaviour.md "Payload": the version of its format. */
const PAYLOAD_VERSION = "1.0";

/** One committed change, as the entity's own service tells it. */
export interface Change {
  eventType: EventType;
  eventRecord: string;
  /** Of all records concerned. */
  recordIds: string[];
  /** How many changes each of them has seen; of a ping there is none. */
  sequences: number[] | null;
  /** The record in its response shape; of a bulk change, all of them. */
  data: Record<string, unknown> | Record<string, unknown>[];
  /** A connection that is not told of it, since it is about that connection. */
  notTo?: ConnectionId | null;
}

/**
 * Writes the event, its deliveries and its place in the outbox, in the change's own transaction.
 * @param traceParent W3C Trace Context of the request: the attempts are of its trace. Without it, of one of their own
 */
export async function recordEvent(
  tx: Transaction,
  tenantId: TenantId,
  change: Change,
  traceParent?: string,
): Promise<void> {
  await insertEvent(tx, tenantId, { ...newEvent(tenantId, change), traceParent }, change.notTo);
}

/** What a ping says of its connection. */
export type PingData = { Id: ConnectionId; Name: string; Entities: string[]; Events: string[] };

/**
 * A ping: an event of its own kind, with a delivery to this connection alone.
 * @returns its EventId
 */
export async function recordPing(
  tx: Transaction,
  tenantId: TenantId,
  data: PingData,
  traceParent: string | undefined,
): Promise<EventId> {
  const event = newEvent(tenantId, {
    eventType: PING,
    eventRecord: PING_RECORD,
    recordIds: [data.Id],
    sequences: null,
    data,
  });
  await insertPing(tx, tenantId, { ...event, traceParent }, data.Id);
  return event.eventId;
}

/** A change that never was: what a receiver's own code is tried with. */
export type SampleChange = Pick<Change, "eventType" | "eventRecord"> & { data: Record<string, unknown> };

/**
 * A ping whose payload is that of a change, with sample data, and says that it is a test.
 * @returns its EventId
 */
export async function recordTest(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  sample: SampleChange,
  traceParent: string | undefined,
): Promise<EventId> {
  const ping = { eventType: PING, eventRecord: PING_RECORD, recordIds: [connectionId], sequences: null, data: {} };
  const event = newEvent(tenantId, ping, sample, { Test: true });
  await insertPing(tx, tenantId, { ...event, traceParent }, connectionId);
  return event.eventId;
}

type WrittenChange = Pick<Change, "eventRecord" | "data"> & { eventType: LoggedEventType };

/** @param told what the payload says, if not that */
function newEvent(
  tenantId: TenantId,
  change: Omit<Change, "eventType"> & { eventType: LoggedEventType },
  told: WrittenChange = change,
  mark: { Test?: true } = {},
): Omit<NewEvent, "traceParent"> {
  const { eventType, eventRecord, recordIds, sequences } = change;
  const { data } = told;
  const eventId = newId<EventId>();
  const occurredOn = timeOfId(eventId);
  // Compact JSON in the order of docs/behaviour.md "Payload"; this exact text is what every attempt signs and sends.
  const payload = JSON.stringify({
    TenantId: tenantId,
    EventType: told.eventType,
    EventId: eventId,
    Version: PAYLOAD_VERSION,
    Timestamp: occurredOn.toISOString(),
    EventRecord: told.eventRecord,
    EventResponse: Array.isArray(data) ? "Array" : "Object",
    Data: data,
    ...mark,
  });
  return { eventId, occurredOn, payload, eventType, eventRecord, recordIds, sequences };
}
