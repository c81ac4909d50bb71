import type { Sql } from "../../platform/db/sql.ts";
import { NotFound, Permission } from "../../platform/errors.ts";
import type { Paging } from "../../platform/http/query.ts";
import type { ConnectionId, DeliveryId, EventId } from "../../platform/ids.ts";
import { type Caller, PING, PING_RECORD, type Shown, type ShownPage } from "../../records/index.ts";
import { sequenceOf } from "../deliveries/posted.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import { type EventFilter, eventFilters, noEvent } from "./contract.ts";
import { listRecentDeliveries, listTests, type RecentDelivery } from "./recent.store.ts";
import {
  type AttemptRecord,
  type Described,
  type EventRecord,
  eventResources,
  type SeenPayload,
  seePayload,
  toAttemptRecord,
  toEventAttributes,
  toEventRecord,
} from "./record.ts";
import {
  type AttemptSelection,
  findEvent,
  findEventBefore,
  type LoggedAttempt,
  listAttempts,
  listEvents,
  type WholeEvent,
  type WithPayload,
} from "./store.ts";

const TYPE = "WebhookEvent";
const READ = "Webhooks:Read";

export interface SeenEvent extends SeenPayload {
  record: Shown<EventRecord>;
  occurredOn: Date;
  sequences: number[] | null;
  /** null: the payload is kept. */
  payloadRemovedOn: Date | null;
  isErased: boolean;
  /** The trace of the originating request. */
  traceParent: string | null;
}

export type EventLog = ReturnType<typeof createEventLog>;

export function createEventLog(sql: Sql, entities: readonly string[], workflowUrl: WorkflowUrl) {
  async function see(caller: Caller, event: WholeEvent): Promise<SeenEvent> {
    const resource = eventResources(event);
    const { record } = await caller.gate.show(TYPE, toEventRecord(event, workflowUrl), { resource });
    const { occurredOn, sequences, payloadRemovedOn, isErased, traceParent } = event;
    const seen = await seePayload(caller, event);
    return { record, occurredOn, sequences, payloadRemovedOn, isErased, traceParent, ...seen };
  }

  /** A response may repeat the request, so it is visible only with the payload and the connection. */
  async function seeAttempts(
    { gate }: Caller,
    { record, withheld, text }: SeenEvent,
    attempts: LoggedAttempt[],
  ): Promise<Map<DeliveryId, AttemptRecord[]>> {
    const connectionOf = new Map(record.Deliveries.map(({ Id, ConnectionId }) => [Id, ConnectionId]));
    const connectionIds = [...new Set(attempts.map(({ deliveryId }) => connectionOf.get(deliveryId) ?? ""))];
    const isSeen = withheld === null && text !== undefined;
    const seen = isSeen ? await gate.seenIds(sql, "WebhookConnection", connectionIds) : new Set<string>();
    const records = attempts.map((attempt) => {
      const { deliveryId } = attempt;
      return { deliveryId, record: toAttemptRecord(attempt, seen.has(connectionOf.get(deliveryId) ?? "")) };
    });
    const byDelivery = Map.groupBy(records, ({ deliveryId }) => deliveryId);
    return new Map([...byDelivery].map(([id, own]) => [id, own.map((one) => one.record)]));
  }

  /** @throws NotFound, Permission */
  async function read(caller: Caller, id: EventId): Promise<SeenEvent> {
    return see(caller, await requireEvent(sql, caller, id));
  }

  /** The events of the previous changes, by record id; missing for a first change. */
  async function readBefore(
    caller: Caller,
    { record, occurredOn, sequences, payload }: SeenEvent,
    recordIds: readonly string[],
  ): Promise<Map<string, SeenEvent | "hidden" | "gone">> {
    const { EventRecord: eventRecord, RecordId } = record;
    const members = [payload?.Data ?? []].flat() as { Id: string | number }[];
    const ids = RecordId === null ? members.map(({ Id }) => String(Id)) : [RecordId];
    const found = await Promise.all(
      recordIds.map(async (recordId) => {
        const sequence = sequences?.[ids.indexOf(recordId)] ?? 1;
        if (sequence === 1) return [];
        const id = await findEventBefore(sql, caller.tenantId, { occurredOn, eventRecord, recordId, sequence });
        return [[recordId, id] as const];
      }),
    );
    const previous = found.flat();
    // Records that change together often share their previous event.
    const distinct = [...new Set(previous.map(([, id]) => id))];
    const read = new Map(await Promise.all(distinct.map(async (id) => [id, await readIfAny(caller, id)] as const)));
    return new Map(previous.map(([recordId, id]) => [recordId, read.get(id)!]));
  }

  /** The event itself is shown, whatever became of the one before it. */
  async function readIfAny(caller: Caller, id: EventId | undefined): Promise<SeenEvent | "hidden" | "gone"> {
    if (id === undefined) return "gone";
    try {
      return await read(caller, id);
    } catch (error) {
      if (error instanceof Permission) return "hidden";
      if (error instanceof NotFound) return "gone";
      throw error;
    }
  }

  return {
    entities,
    filters: eventFilters(entities),
    read,
    readBefore,
    /** A page of events that the caller may read, newest first. @throws ServiceBusy */
    async list(caller: Caller, filter: EventFilter, paging: Paging): Promise<ShownPage<EventRecord>> {
      const { tenantId, permissions, gate } = caller;
      const withPayload = permissions.looksInto(READ, TYPE).length > 0;
      const { RecordId: recordId, EventRecord: eventRecord } = filter;
      // The record ids of a bulk change are matched only if the caller may read the records.
      const asked = recordId === undefined ? [] : entities.filter((name) => name === (eventRecord ?? name));
      const seen = await Promise.all(asked.map((name) => gate.seenIds(sql, name, [recordId!])));
      const membersOf = asked.filter((_, index) => seen[index]!.has(recordId!));
      const records = [...entities, PING_RECORD];
      return gate.list({
        type: TYPE,
        paging,
        read: (limit, after) => listEvents(sql, tenantId, filter, { records, membersOf }, limit, after, withPayload),
        id: (event) => event.id,
        isDecidable: (event) => isDecidable(caller, event),
        resource: (event) => eventResources(event),
        item: (event) => toEventRecord(event, workflowUrl),
      });
    },
    /** The newest deliveries of a readable connection, for events that the caller may read. */
    async deliveriesTo(caller: Caller, connectionId: ConnectionId, max: number) {
      const withPayload = caller.permissions.looksInto(READ, TYPE).length > 0;
      return onlySeen(caller, await listRecentDeliveries(sql, caller.tenantId, connectionId, max, withPayload));
    },
    /** The same for pings and tests only. */
    async testsOf(caller: Caller, connectionId: ConnectionId, max: number) {
      return onlySeen(caller, await listTests(sql, caller.tenantId, connectionId, max));
    },
    async attempts(caller: Caller, event: SeenEvent, selection: AttemptSelection) {
      return seeAttempts(caller, event, await listAttempts(sql, caller.tenantId, event.record.EventId, selection));
    },
    /** An event in its response shape, with payload and all attempts. @throws NotFound, Permission */
    async readWhole(caller: Caller, id: EventId) {
      // Read in one query, so states and attempts are consistent.
      const found = await requireEvent(sql, caller, id, { withAttempts: true });
      const event = await see(caller, found);
      const { record, payload, payloadRemovedOn, withheld, sequences } = event;
      const attempts = await seeAttempts(caller, event, found.attempts ?? []);
      const { RecordId } = record;
      const before = RecordId === null ? undefined : (await readBefore(caller, event, [RecordId])).get(RecordId);
      return {
        ...record,
        Sequence: sequenceOf(sequences),
        BeforeEventId: typeof before === "object" ? before.record.EventId : null,
        Payload: payload,
        PayloadRemovedOn: payloadRemovedOn?.toISOString() ?? null,
        Withheld: withheld,
        Deliveries: record.Deliveries.map((delivery) => ({ ...delivery, Attempts: attempts.get(delivery.Id) ?? [] })),
      };
    },
  };
}

function onlySeen(caller: Caller, deliveries: RecentDelivery[]): Promise<Shown<RecentDelivery>[]> {
  const decidable = deliveries.filter((one) => isDecidable(caller, { ...one, id: one.eventId }));
  return caller.gate.only(TYPE, decidable, { resource: (one) => eventResources({ ...one, id: one.eventId }) });
}

/** Policies that look at an event's record may be unable to decide about it after its payload was removed. */
export function isDecidable({ permissions }: Caller, event: Described & Partial<WithPayload>): boolean {
  if (event.payload !== null || event.eventType === PING) return true;
  return permissions.decidesWithout(READ, TYPE, toEventAttributes(event), event.eventRecord);
}

/** The event, for endpoints that return more than its record. @throws NotFound, Permission */
export async function requireEvent(
  sql: Sql,
  caller: Caller,
  id: EventId,
  options?: { withAttempts: boolean },
): Promise<WholeEvent> {
  const event = await findEvent(sql, caller.tenantId, id, options);
  if (!event || !isDecidable(caller, event)) throw noEvent();
  return (await caller.gate.show(TYPE, event, { resource: eventResources(event) })).record;
}
