// A statement: how each delivery of a period ended, in numbers, as a file, and as a signed JWT.

import { Type } from "@sinclair/typebox";
import { contract, each } from "../../platform/http/contract.ts";
import { derived, orNull, type RecordOf, readOnly, time, uuid, word } from "../../platform/http/fields.ts";
import { momentFilter, type Values } from "../../platform/http/query.ts";
import { type ConnectionId, type DeliveryId, type EventId, timeOfId } from "../../platform/ids.ts";
import { LOGGED_EVENT_TYPES } from "../../records/index.ts";
import { CONNECTION } from "../connection.ts";
import { connectionFilter } from "../connection-filter.ts";

/** The longest period of a statement. */
export const MAX_STATEMENT_DAYS = 31;
/** The maximum number of deliveries. */
export const MAX_STATED = 100_000;
/** The same for callers whose policies decide about each event. */
export const MAX_STATED_EACH = 10_000;

/** Every delivery of the period has one. The first three were delivered. */
export const STATED = ["FirstAttempt", "Retried", "SentAgain", "Open", "Held", "Exhausted", "Cancelled"] as const;
export type Stated = (typeof STATED)[number];
export const STATED_DELIVERED: readonly Stated[] = ["FirstAttempt", "Retried", "SentAgain"];

const MEANINGS: Record<Stated, string> = {
  FirstAttempt: "Delivered at the first attempt.",
  Retried: "Delivered by a later attempt of the first run.",
  SentAgain: "Delivered only after it was sent again.",
  Open: "Not delivered yet: Pending or Retrying.",
  Held: "Not delivered: it waits for a connection that is Held, Paused or draining, or for a consumer.",
  Exhausted: "Not delivered: all its attempts failed.",
  Cancelled: "Not delivered: discarded, erased with a person, or its connection was deleted.",
};

export const statementFilters = {
  ConnectionId: connectionFilter("Only this connection. Default: all that you may read, with deleted ones."),
  From: momentFilter(
    `Events at this time or later; default: an hour before To. At most ${MAX_STATEMENT_DAYS} days before To.`,
  ),
  To: momentFilter("Events before this time; default: now."),
};
export type StatementFilter = Partial<Values<typeof statementFilters>>;

const count = Type.Integer({ format: "int32", minimum: 0 });
const timeOrNull = (description: string) => orNull(time(), { description: `${description} null: none.` });
const FIGURE = Type.Object(
  {
    Count: count,
    FirstEvent: timeOrNull("The time of the first event."),
    LastEvent: timeOrNull("The time of the last event."),
    FirstReached: timeOrNull("When the first delivery reached this outcome: the receiver's answer, or the state."),
    LastReached: timeOrNull("The same for the last one. When everything had arrived, if all were delivered."),
  },
  { $id: "WebhookStatementFigure" },
);
export type StatedFigure = {
  Count: number;
  FirstEvent: string | null;
  LastEvent: string | null;
  FirstReached: string | null;
  LastReached: string | null;
};

const EXAMPLE: StatedFigure = {
  Count: 412,
  FirstEvent: "2026-01-31T16:30:00.412Z",
  LastEvent: "2026-01-31T16:44:59.087Z",
  FirstReached: "2026-01-31T16:30:00.498Z",
  LastReached: "2026-01-31T16:45:11.202Z",
};
export const NO_FIGURE: StatedFigure = {
  Count: 0,
  FirstEvent: null,
  LastEvent: null,
  FirstReached: null,
  LastReached: null,
};
const figure = (description: string, example = NO_FIGURE) =>
  derived(Type.Unsafe<StatedFigure>(FIGURE), { description, example });

const OF_CONNECTION = contract("WebhookStatementConnection", "", {
  ConnectionId: readOnly(uuid<ConnectionId>(), { example: CONNECTION.example.Id }),
  ConnectionName: derived(Type.String(), { example: CONNECTION.example.Name }),
  Owed: derived(count, { example: 412 }),
  Delivered: derived(count, { description: "At the first attempt, after retries, or sent again.", example: 412 }),
  Open: derived(count, { example: 0 }),
  Held: derived(count, { example: 0 }),
  Exhausted: derived(count, { example: 0 }),
  Cancelled: derived(count, { example: 0 }),
});

export const STATEMENT = contract("WebhookStatement", "", {
  From: derived(time(), { example: "2026-01-31T16:30:00.000Z" }),
  To: derived(time(), { description: "Exclusive.", example: "2026-01-31T16:45:00.000Z" }),
  AsOf: derived(time(), { description: "When it was counted, in one snapshot.", example: "2026-01-31T17:02:10.000Z" }),
  Closed: derived(Type.Boolean(), {
    description: "No further event can have a time in this period: To is more than a minute before AsOf.",
    example: true,
  }),
  Complete: derived(Type.Boolean(), {
    description: "false: policies may hide connections or events from you, which are not counted.",
    example: true,
  }),
  ConnectionId: derived(orNull(uuid<ConnectionId>()), {
    description: "null: all connections.",
    example: CONNECTION.example.Id,
  }),
  Owed: figure(
    "All deliveries of the period. The other figures add up to it. Pings and tests are not counted.",
    EXAMPLE,
  ),
  FirstAttempt: figure(MEANINGS.FirstAttempt, { ...EXAMPLE, Count: 409 }),
  Retried: figure(MEANINGS.Retried, { ...EXAMPLE, Count: 3 }),
  SentAgain: figure(MEANINGS.SentAgain),
  Open: figure(MEANINGS.Open),
  Held: figure(MEANINGS.Held),
  Exhausted: figure(MEANINGS.Exhausted),
  Cancelled: figure(MEANINGS.Cancelled),
  Connections: each(OF_CONNECTION, { description: "Those with deliveries in the period, and a requested one." }),
});
export type StatementRecord = RecordOf<typeof STATEMENT.field>;
export const STATED_CONNECTION = OF_CONNECTION;

/** A line of the file. */
export const STATED_DELIVERY = contract("WebhookStatementDelivery", "", {
  EventId: readOnly(uuid<EventId>(), { example: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5" }),
  Timestamp: derived(
    time(),
    { description: "The time of the event.", column: "eventId", example: EXAMPLE.FirstEvent! },
    (id: EventId) => timeOfId(id).toISOString(),
  ),
  EventType: readOnly(word(LOGGED_EVENT_TYPES), { example: "Updated" }),
  EventRecord: readOnly(Type.String(), { example: "Application" }),
  RecordId: derived(orNull(Type.String()), { description: "null: a bulk change.", example: "7" }),
  ConnectionId: readOnly(uuid<ConnectionId>(), { example: CONNECTION.example.Id }),
  DeliveryId: readOnly(uuid<DeliveryId>(), { example: "5b0cf0f4-8a39-4c43-9d0e-0d1f6d7f4b1a" }),
  Outcome: readOnly(word(STATED), { example: "FirstAttempt" }),
  ReachedOn: readOnly(
    orNull(time()),
    { description: "null: it is Open.", example: EXAMPLE.FirstReached },
    (on: Date | null) => on?.toISOString() ?? null,
  ),
  Attempts: readOnly(count, { description: "In all its runs.", example: 1 }),
  Reason: readOnly(orNull(Type.String()), {
    description: "The result of the last attempt, if it failed: a status, or a word such as timeout.",
    example: null,
  }),
});

export const SIGNED_STATEMENT = Type.Object({ Certificate: Type.String() }, { $id: "WebhookStatementCertificate" });
