// The activity log as a caller may read it.

import type { Caller, Shown, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { isUuid, type Paging } from "../../http/paging.ts";
import { sequenceOf } from "../deliveries/request.ts";
import { eventResources } from "./attributes.ts";
import { type SeenPayload, seePayload } from "./payload.ts";
import { type AttemptRecord, type EventRecord, toAttemptRecord, toEventRecord, type WorkflowUrl } from "./record.ts";
import {
  type AttemptSelection,
  type EventFilter,
  findEvent,
  listAttempts,
  listEvents,
  type WholeEvent,
} from "./store.ts";

const TYPE = "WebhookEvent";

/**
 * A page of the events that the caller may read, newest first.
 * @throws ServiceBusy
 */
export async function readEvents(
  sql: Sql,
  { tenantId, permissions, gate }: Caller,
  filter: EventFilter,
  paging: Paging,
  workflowUrl: WorkflowUrl,
): Promise<ShownPage<EventRecord>> {
  const withPayload = permissions.looksInto(TYPE);
  return gate.list({
    type: TYPE,
    paging,
    read: (limit, after) => listEvents(sql, tenantId, filter, limit, after, withPayload),
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
}

/** The event, for what tells of it what is no record's. @throws NotFound, Permission */
export async function requireEvent(sql: Sql, { tenantId, gate }: Caller, id: string): Promise<WholeEvent> {
  const event = isUuid(id) ? await findEvent(sql, tenantId, id) : undefined;
  if (!event) throw new NotFound("There is no WebhookEvent with this EventId.");
  return (await gate.show(TYPE, event, { resource: eventResources(event) })).record;
}

/** @throws NotFound, Permission */
export async function readEvent(sql: Sql, caller: Caller, id: string, workflowUrl: WorkflowUrl): Promise<SeenEvent> {
  const event = await requireEvent(sql, caller, id);
  const resource = eventResources(event);
  const { record } = await caller.gate.show(TYPE, toEventRecord(event, workflowUrl), { resource });
  const { occurredOn, sequences } = event;
  return { record, occurredOn, sequences, ...(await seePayload(caller, event)) };
}

/**
 * The attempts of an event that the caller may read, by their deliveries. What a receiver has answered may repeat what
 * it was sent: it is for who may see the payload and the connection.
 * @param selection undefined: all
 */
export async function readAttempts(
  sql: Sql,
  { tenantId, gate }: Caller,
  { record, withheld, text }: SeenEvent,
  selection?: AttemptSelection,
): Promise<Map<string, AttemptRecord[]>> {
  const { EventId, Deliveries } = record;
  const attempts = await listAttempts(sql, tenantId, EventId, selection);
  const connectionOf = new Map(Deliveries.map(({ Id, ConnectionId }) => [Id, ConnectionId]));
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
export async function readWholeEvent(sql: Sql, caller: Caller, id: string, workflowUrl: WorkflowUrl) {
  const event = await readEvent(sql, caller, id, workflowUrl);
  const { record, payload, withheld, sequences } = event;
  const attempts = await readAttempts(sql, caller, event);
  const whole = {
    ...record,
    Sequence: sequenceOf(sequences),
    Payload: payload,
    Withheld: withheld,
    Deliveries: record.Deliveries.map((delivery) => ({ ...delivery, Attempts: attempts.get(delivery.Id) ?? [] })),
  };
  return whole;
}
