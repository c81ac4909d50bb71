import { type DeliveryState, workflowId } from "../../../workflows/contract.ts";
import { ALERT_RECORD, AUDIT_RECORD, type AuditRecord, type Caller, PING, type Shown } from "../../records/index.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import { ATTEMPT, DELIVERY, EVENT } from "./contract.ts";
import type { LoggedAttempt, LoggedEvent, WithPayload } from "./store.ts";

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
  // A delivery that waited for a Drain is alone in its event's numbered workflow.
  const name = { ...event, eventId: event.id };
  const ownId = workflowId(name, delivery && others.length === 0 ? delivery.part : 1);
  return EVENT.toRecord(event, {
    ...toEventAttributes(event),
    State: WORST_FIRST.find((state) => event.deliveries.some((delivery) => delivery.state === state)) ?? null,
    Reason: reasonNobodyGotIt(event),
    WorkflowId: ownId,
    WorkflowUrl: workflowUrl(ownId),
    Deliveries: event.deliveries.map((delivery) => {
      const WorkflowId = workflowId(name, delivery.part);
      return DELIVERY.toRecord(delivery, { WorkflowId, WorkflowUrl: workflowUrl(WorkflowId) });
    }),
  });
}

const WHY_HELD = {
  Paused: "connection paused",
  Held: "connection held",
  Active: "earlier missed deliveries are sent first",
};

/** @returns a text, or null if any delivery succeeded or is open */
function reasonNobodyGotIt({ eventRecord, eventType, withheld, deliveries }: LoggedEvent): string | null {
  if (deliveries.length === 0 && withheld) return "no filter of a connection matches";
  if (deliveries.length === 0) return `no connection for ${eventRecord} ${eventType}`;
  if (deliveries.some(({ state }) => state !== "Held")) return null;
  const words = deliveries.map(({ kind, connectionState, drainPaused }) => {
    if (kind === "Pull" && connectionState === "Active") return "not pulled yet";
    const isWaiting = connectionState === "Active" && drainPaused;
    return isWaiting ? `${WHY_HELD.Active}, and its Drain is paused` : WHY_HELD[connectionState];
  });
  return [...new Set(words)].toSorted().join(", ");
}

/** @param isSeen whether the caller may see the response */
export const toAttemptRecord = (attempt: LoggedAttempt, isSeen: boolean) =>
  ATTEMPT.toRecord(attempt, {
    Response: isSeen ? { Headers: attempt.responseHeaders ?? "", Body: attempt.responseBody ?? "" } : null,
  });

// The payload of an event for a caller: Data is visible only if all its records are.

export const WITHHELD = "Data is omitted: your policies do not let you read every record in it.";

export interface SeenPayload {
  /** Without Data if it is withheld; null: it was removed after PAYLOAD_RETENTION. */
  payload: Record<string, unknown> | null;
  withheld: typeof WITHHELD | null;
  /** The exact text of every attempt; undefined if a part is hidden. */
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
  if (payload === null) return { payload, withheld: null, text: undefined };
  const whole = JSON.parse(payload);
  // A ping contains only some fields of its connection, and a test no real record.
  const isPing = eventType === PING;
  const isHidden =
    (eventRecord === ALERT_RECORD && !(await seesOf(gate, recordsOf(payload)))) ||
    (eventRecord === AUDIT_RECORD && !(await seesEntry(gate, whole.Data)));
  const records = isPing ? [{ Id: recordIds[0]! }] : recordsOf(payload);
  const shown = isHidden ? undefined : await gate.payload(eventRecord, records, !isPing);
  if (!shown) {
    const { Data: _, ...rest } = whole;
    return { payload: rest, withheld: WITHHELD, text: undefined };
  }
  if (isPing) return { payload: whole, withheld: null, text: payload };
  const seen = { ...whole, Data: dataOf(whole.Data, shown) };
  return { payload: seen, withheld: null, text: JSON.stringify(seen) === payload ? payload : undefined };
}

/** An alert has the visibility of its connection, and may contain counts of hidden deliveries. */
async function seesOf(gate: Caller["gate"], alerts: Record<string, unknown>[]): Promise<boolean> {
  const of = new Set(alerts.flatMap(({ ConnectionId }) => (ConnectionId ? [String(ConnectionId)] : [])));
  if (of.size === 0) return true;
  return gate.seesAll("WebhookEvent") && (await gate.known("WebhookConnection", [...of])).length === of.size;
}

/** An entry needs the scope of the audit log, and its Details need permission to read the subject. */
async function seesEntry(gate: Caller["gate"], entry: AuditRecord): Promise<boolean> {
  if (!gate.may("Settings:Read", AUDIT_RECORD, entry)) return false;
  const { Subject } = entry;
  return !Subject || gate.seesAll(Subject.Type) || (await gate.known(Subject.Type, [Subject.Id])).length > 0;
}

function dataOf(data: unknown, shown: Shown<Record<string, unknown>>[]): unknown {
  return Array.isArray(data) ? shown : shown[0];
}

export type Described = Pick<LoggedEvent, "id" | "eventType" | "eventRecord" | "recordIds" | "occurredOn">;

/** An event's own attributes, in responses and policies. */
export function toEventAttributes(event: Described) {
  return {
    EventId: event.id,
    EventType: event.eventType,
    EventRecord: event.eventRecord,
    // Null for several records, because policies may permit only some of them.
    RecordId: event.recordIds.length === 1 ? event.recordIds[0]! : null,
    RecordCount: event.recordIds.length,
    Timestamp: event.occurredOn.toISOString(),
  };
}

/**
 * The resources that policies evaluate: one for each record in the payload, if policies refer to records.
 * @param payload undefined: not loaded; null: removed, so policies that look at the record do not decide
 */
export function eventResources(event: Described & Partial<WithPayload>): object[] {
  const attributes = toEventAttributes(event);
  if (event.payload == null || event.eventType === PING) return [attributes];
  return recordsOf(event.payload).map((record) => ({ ...attributes, [event.eventRecord]: record }));
}

function recordsOf(payload: string): Record<string, unknown>[] {
  return [JSON.parse(payload).Data].flat();
}
