import { noteChange } from "../../platform/db/keyed.store.ts";
import { atCommit, type Transaction } from "../../platform/db/sql.ts";
import { type ConnectionId, type EventId, newId, type TenantId, timeOfId } from "../../platform/ids.ts";
import { type LoggedEventType, NAME_SHOWN, PING, PING_RECORD } from "./event.ts";
import type { Change, Receivers } from "./event-parts.ts";
import { receiversOf } from "./receivers.ts";
import { insertEvent, insertionOfEvent, insertPing, type NewEvent } from "./store.ts";

/** docs/behaviour.md "Payload": the format's version. */
const PAYLOAD_VERSION = "1.0";

/**
 * Writes the event, its deliveries and its outbox rows in the change's transaction.
 * @param traceParent W3C Trace Context that the attempts continue; without it each attempt has its own trace
 */
export async function recordEvent(
  tx: Transaction,
  tenantId: TenantId,
  change: Change,
  traceParent?: string,
): Promise<void> {
  await insertEvent(tx, tenantId, await received(tx, tenantId, change, traceParent), change.notTo);
}

/** The same as the transaction's last statement. */
export async function recordEventAtCommit(
  tx: Transaction,
  tenantId: TenantId,
  change: Change,
  traceParent?: string,
): Promise<void> {
  const event = await received(tx, tenantId, change, traceParent);
  atCommit(tx, (last) => insertionOfEvent(last, tenantId, event, change.notTo));
}

async function received(
  tx: Transaction,
  tenantId: TenantId,
  change: Change,
  traceParent: string | undefined,
): Promise<NewEvent & Receivers> {
  noteChange(tx);
  const event = newEvent(tenantId, change);
  return { ...event, traceParent, ...(await receiversOf(tx, tenantId, event.eventId, change)) };
}

export type PingData = { Id: ConnectionId; Name: string; Entities: string[]; Events: string[] };

/** Creates a ping: an event with a delivery to this connection only. @returns its EventId */
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

export type SampleChange = Pick<Change, "eventType" | "eventRecord"> & {
  data: Record<string, unknown>;
  previous: Record<string, unknown>;
};

/** Creates a ping with the payload of a change, sample data and a mark as test. @returns its EventId */
export async function recordTest(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  sample: SampleChange,
  traceParent: string | undefined,
): Promise<EventId> {
  const ping = { eventType: PING, eventRecord: PING_RECORD, recordIds: [connectionId], sequences: null, data: {} };
  const event = newEvent(tenantId, ping, sample, { Test: true });
  await insertPing(tx, tenantId, { ...event, traceParent }, connectionId, true);
  return event.eventId;
}

type WrittenChange = Pick<Change, "eventRecord" | "data" | "previous"> & { eventType: LoggedEventType };

/** @param shown replaces values in the payload */
function newEvent(
  tenantId: TenantId,
  change: Omit<Change, "eventType"> & { eventType: LoggedEventType },
  shown: WrittenChange = change,
  mark: { Test?: true } = {},
): Omit<NewEvent, "traceParent"> {
  const { eventType, eventRecord, recordIds, sequences } = change;
  const { data } = shown;
  const eventId = newId<EventId>();
  const occurredOn = timeOfId(eventId);
  const payload = payloadOf(tenantId, eventId, shown, mark);
  const recordName = eventRecord === "User" || Array.isArray(data) ? null : nameOf(data);
  const previous = shown.eventType === "Updated" && shown.previous ? JSON.stringify(shown.previous) : null;
  return { eventId, occurredOn, payload, previous, recordName, eventType, eventRecord, recordIds, sequences };
}

/** Compact JSON in the order of docs/behaviour.md "Payload". Every attempt signs and sends exactly this text. */
export function payloadOf(
  tenantId: TenantId,
  eventId: EventId,
  { eventType, eventRecord, data }: Omit<WrittenChange, "previous">,
  mark: { Test?: true },
): string {
  return JSON.stringify({
    TenantId: tenantId,
    EventType: eventType,
    EventId: eventId,
    Version: PAYLOAD_VERSION,
    Timestamp: timeOfId(eventId).toISOString(),
    EventRecord: eventRecord,
    EventResponse: Array.isArray(data) ? "Array" : "Object",
    Data: data,
    ...mark,
  });
}

function nameOf({ Name }: Record<string, unknown>): string | null {
  return typeof Name === "string" ? [...Name].slice(0, NAME_SHOWN).join("") : null;
}
