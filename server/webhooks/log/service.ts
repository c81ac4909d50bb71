// The activity log as a caller may read it: events, their deliveries and attempts.

import { type DeliveryId, type DeliveryState, type EventId, workflowId } from "../../../workflows/contract.ts";
import type { Caller, Shown, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { Permission } from "../../errors.ts";
import type { Paging } from "../../http/query.ts";
import { sequenceOf } from "../deliveries/request.ts";
import { PING } from "../events/event.ts";
import { noEvent } from "./contract.ts";
import {
  type AttemptSelection,
  type EventFilter,
  findEvent,
  findEventBefore,
  type LoggedAttempt,
  type LoggedEvent,
  listAttempts,
  listEvents,
  type WholeEvent,
  type WithPayload,
} from "./store.ts";

const TYPE = "WebhookEvent";

/** What a list of events takes. */
export interface EventLog {
  sql: Sql;
  /** Names of the entities that can trigger a webhook. */
  entities: readonly string[];
  workflowUrl: WorkflowUrl;
}

/**
 * A page of the events that the caller may read, newest first.
 * @throws ServiceBusy
 */
export async function readEvents(
  { sql, entities, workflowUrl }: EventLog,
  { tenantId, permissions, gate }: Caller,
  filter: EventFilter,
  paging: Paging,
): Promise<ShownPage<EventRecord>> {
  const withPayload = permissions.looksInto(TYPE);
  const { recordId, eventRecord } = filter;
  // Which records a change of several is of, is for who may read them.
  const asked = recordId === undefined ? [] : entities.filter((name) => name === (eventRecord ?? name));
  const seen = await Promise.all(asked.map((name) => gate.seenIds(sql, name, [recordId!])));
  const membersOf = asked.filter((_, index) => seen[index]!.has(recordId!));
  return gate.list({
    type: TYPE,
    paging,
    read: (limit, after) => listEvents(sql, tenantId, filter, membersOf, limit, after, withPayload),
    id: (event) => event.id,
    resource: (event) => eventResources(event),
    item: (event) => toEventRecord(event, workflowUrl),
  });
}

/** An event, and what of its payload its reader may see. */
export interface SeenEvent extends SeenPayload {
  record: Shown<EventRecord>;
  occurredOn: Date;
  sequences: number[] | null;
  /** Of the request that made it. */
  traceParent: string | null;
}

/** The event, for what tells of it what is no record's. @throws NotFound, Permission */
export async function requireEvent(
  sql: Sql,
  { tenantId, gate }: Caller,
  id: EventId,
  options?: { withAttempts: boolean },
): Promise<WholeEvent> {
  const event = await findEvent(sql, tenantId, id, options);
  if (!event) throw noEvent();
  return (await gate.show(TYPE, event, { resource: eventResources(event) })).record;
}

/** @throws NotFound, Permission */
export async function readEvent(sql: Sql, caller: Caller, id: EventId, workflowUrl: WorkflowUrl): Promise<SeenEvent> {
  return seeEvent(caller, await requireEvent(sql, caller, id), workflowUrl);
}

async function seeEvent(caller: Caller, event: WholeEvent, workflowUrl: WorkflowUrl): Promise<SeenEvent> {
  const resource = eventResources(event);
  const { record } = await caller.gate.show(TYPE, toEventRecord(event, workflowUrl), { resource });
  const { occurredOn, sequences, traceParent } = event;
  return { record, occurredOn, sequences, traceParent, ...(await seePayload(caller, event)) };
}

/**
 * The event of the change before, of an event of one record.
 * @returns undefined if it was the first, is of several records, or none is kept
 */
export async function readEventBefore(
  sql: Sql,
  caller: Caller,
  event: SeenEvent,
  workflowUrl: WorkflowUrl,
): Promise<SeenEvent | "hidden" | undefined> {
  const { record, occurredOn, sequences } = event;
  const { EventRecord: eventRecord, RecordId: recordId } = record;
  const [sequence = 1] = sequences ?? [];
  if (recordId === null || sequence === 1) return undefined;
  const change = { occurredOn, eventRecord, recordId, sequence };
  const id = await findEventBefore(sql, caller.tenantId, change);
  if (id === undefined) return undefined;
  try {
    return await readEvent(sql, caller, id, workflowUrl);
  } catch (error) {
    if (error instanceof Permission) return "hidden";
    throw error;
  }
}

/** The attempts of an event that the caller may read, by their deliveries. */
export async function readAttempts(
  sql: Sql,
  caller: Caller,
  event: SeenEvent,
  selection: AttemptSelection,
): Promise<Map<DeliveryId, AttemptRecord[]>> {
  return seeAttempts(sql, caller, event, await listAttempts(sql, caller.tenantId, event.record.EventId, selection));
}

/**
 * What a receiver has answered may repeat what it was sent: it is for who may see the payload and the connection.
 */
async function seeAttempts(
  sql: Sql,
  { gate }: Caller,
  { record, withheld, text }: SeenEvent,
  attempts: LoggedAttempt[],
): Promise<Map<DeliveryId, AttemptRecord[]>> {
  const connectionOf = new Map(record.Deliveries.map(({ Id, ConnectionId }) => [Id, ConnectionId]));
  const told = [...new Set(attempts.map(({ deliveryId }) => connectionOf.get(deliveryId) ?? ""))];
  const isSeen = withheld === null && text !== undefined;
  const seen = isSeen ? await gate.seenIds(sql, "WebhookConnection", told) : new Set<string>();
  const records = attempts.map((attempt) => {
    const { deliveryId } = attempt;
    return { deliveryId, record: toAttemptRecord(attempt, seen.has(connectionOf.get(deliveryId) ?? "")) };
  });
  const byDelivery = Map.groupBy(records, ({ deliveryId }) => deliveryId);
  return new Map([...byDelivery].map(([id, own]) => [id, own.map((one) => one.record)]));
}

/** An event in its response shape, with its payload and all attempts. @throws NotFound, Permission */
export async function readWholeEvent(sql: Sql, caller: Caller, id: EventId, workflowUrl: WorkflowUrl) {
  // Read at once: between two readings a delivery could end, and its state say less than its attempts.
  const found = await requireEvent(sql, caller, id, { withAttempts: true });
  const event = await seeEvent(caller, found, workflowUrl);
  const { record, payload, withheld, sequences } = event;
  const attempts = await seeAttempts(sql, caller, event, found.attempts ?? []);
  const before = await readEventBefore(sql, caller, event, workflowUrl);
  const whole = {
    ...record,
    Sequence: sequenceOf(sequences),
    BeforeEventId: typeof before === "object" ? before.record.EventId : null,
    Payload: payload,
    Withheld: withheld,
    Deliveries: record.Deliveries.map((delivery) => ({ ...delivery, Attempts: attempts.get(delivery.Id) ?? [] })),
  };
  return whole;
}

// An event and its attempts as the API writes them.

/** Where a person opens a workflow in the Temporal UI. */
export type WorkflowUrl = (workflowId: string) => string;

/** From the most to the least urgent. */
export const WORST_FIRST: readonly DeliveryState[] = [
  "Exhausted",
  "Held",
  "Retrying",
  "Pending",
  "Cancelled",
  "Delivered",
];

export type EventRecord = ReturnType<typeof toEventRecord>;
export type AttemptRecord = ReturnType<typeof toAttemptRecord>;

export function toEventRecord(event: LoggedEvent, workflowUrl: WorkflowUrl) {
  const [delivery, ...others] = event.deliveries;
  // One that has waited for a Drain has the event's only workflow, and that is numbered.
  const ownId = workflowId(event.id, delivery && others.length === 0 ? delivery.part : 1);
  return {
    ...toEventAttributes(event),
    State: WORST_FIRST.find((state) => event.deliveries.some((delivery) => delivery.state === state)) ?? null,
    Reason: reasonNobodyGotIt(event),
    WorkflowId: ownId,
    WorkflowUrl: workflowUrl(ownId),
    Deliveries: event.deliveries.map((delivery) => ({
      Id: delivery.id,
      ConnectionId: delivery.connectionId,
      State: delivery.state,
      AttemptCount: delivery.attempts,
      Run: delivery.run,
      WorkflowId: workflowId(event.id, delivery.part),
      WorkflowUrl: workflowUrl(workflowId(event.id, delivery.part)),
    })),
  };
}

/** Why a delivery is Held, by the state of its connection. */
const WHY_HELD = {
  Paused: "connection paused",
  Held: "connection held",
  Active: "what the connection has missed before is sent first",
};

/** In words, or null if somebody got it or will. */
function reasonNobodyGotIt({ eventRecord, eventType, deliveries }: LoggedEvent): string | null {
  if (deliveries.length === 0) return `no connection for ${eventRecord} ${eventType}`;
  if (deliveries.some(({ state }) => state !== "Held")) return null;
  const words = deliveries.map(({ connectionState, drainPaused }) => {
    const isWaiting = connectionState === "Active" && drainPaused;
    return isWaiting ? `${WHY_HELD.Active}, and its Drain is paused` : WHY_HELD[connectionState];
  });
  return [...new Set(words)].toSorted().join(", ");
}

/** @param isSeen whether its reader may see what the receiver has answered */
export function toAttemptRecord(attempt: LoggedAttempt, isSeen: boolean) {
  return {
    Number: attempt.number,
    Run: attempt.run,
    StartedOn: attempt.startedOn.toISOString(),
    DurationMs: attempt.durationMs,
    StatusCode: attempt.statusCode,
    Failure: attempt.failure,
    Response: isSeen ? { Headers: attempt.responseHeaders ?? "", Body: attempt.responseBody ?? "" } : null,
  };
}

// An event's payload as a caller may see it: what stands in it is as hidden as the records it is of.

/** Why Data is not there, in a word. */
export const WITHHELD = "Data is left out: your policies do not let you read every record in it.";

export interface SeenPayload {
  /** Without Data, if that is withheld. */
  payload: Record<string, unknown>;
  withheld: typeof WITHHELD | null;
  /** The exact text that every attempt sends; undefined if not all of it is shown. */
  text: string | undefined;
}

export async function seePayload(
  { gate }: Pick<Caller, "gate">,
  {
    eventType,
    eventRecord,
    recordIds,
    payload,
  }: Pick<LoggedEvent, "eventType" | "eventRecord" | "recordIds"> & WithPayload,
): Promise<SeenPayload> {
  const whole = JSON.parse(payload);
  // A ping tells of its connection only some fields, and a test of no record at all.
  const isPing = eventType === PING;
  const shown = await gate.payload(eventRecord, isPing ? [{ Id: recordIds[0]! }] : recordsOf(payload), !isPing);
  if (!shown) {
    const { Data: _, ...rest } = whole;
    return { payload: rest, withheld: WITHHELD, text: undefined };
  }
  if (isPing) return { payload: whole, withheld: null, text: payload };
  const seen = { ...whole, Data: dataOf(whole.Data, shown) };
  return { payload: seen, withheld: null, text: JSON.stringify(seen) === payload ? payload : undefined };
}

function dataOf(data: unknown, shown: Shown<Record<string, unknown>>[]): unknown {
  return Array.isArray(data) ? shown : shown[0];
}

type Described = Pick<LoggedEvent, "id" | "eventType" | "eventRecord" | "recordIds" | "occurredOn">;

/** What an event itself is, as the API writes it and as policies see it. */
function toEventAttributes(event: Described) {
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
function recordsOf(payload: string): Record<string, unknown>[] {
  return [JSON.parse(payload).Data].flat();
}
