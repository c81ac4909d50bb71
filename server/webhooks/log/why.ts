// Explains why connections did or did not get an event: GET WebhookEvent/{EventId}/Why.

import { Type } from "@sinclair/typebox";
import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { orNull, uuid, word } from "../../platform/http/fields.ts";
import type { Paging } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { ConnectionId, DeliveryId, EventId } from "../../platform/ids.ts";
import { ALERT_RECORD, type Caller, PING, route, type ShownPage } from "../../records/index.ts";
import { connectionFilter } from "../connection-filter.ts";
import type { Connections } from "../connections/service.ts";
import type { ConnectionState } from "../connections.store.ts";
import { EVENT_ID } from "./contract.ts";
import { EVENT_LOG_TAG } from "./routes.ts";
import { requireEvent } from "./service.ts";
import {
  type ConnectionAtEvent,
  type ConnectionAtEventFilter,
  type ExplainedDelivery,
  listConnectionsAtEvent,
} from "./why.store.ts";

export interface WhyRecord {
  ConnectionId: ConnectionId;
  ConnectionName: string;
  Outcome: WhyOutcome;
  Reason: string;
  DeliveryId: DeliveryId | null;
}

/** For each readable connection of the tenant, newest first. @throws NotFound, Permission, ServiceBusy */
export type ExplainEvent = (
  caller: Caller,
  eventId: EventId,
  filter: ConnectionAtEventFilter,
  paging: Paging,
) => Promise<ShownPage<WhyRecord>>;

export function createExplainEvent(sql: Sql, { recordOf }: Connections): ExplainEvent {
  return async (caller, eventId, filter, paging) => {
    const { tenantId, gate } = caller;
    const event = await requireEvent(sql, caller, eventId);
    return gate.list({
      type: "WebhookConnection",
      name: `WebhookEvent/${event.id}/Why`,
      paging,
      read: (limit, after) => listConnectionsAtEvent(sql, tenantId, event.id, filter, limit, after),
      id: (connection) => connection.id,
      resource: (connection) => recordOf(connection),
      item: (connection) => {
        const { outcome, reason } = explain(event, connection);
        const { Id, Name } = recordOf(connection);
        const DeliveryId = connection.delivery?.id ?? null;
        return { ConnectionId: Id, ConnectionName: Name, Outcome: outcome, Reason: reason, DeliveryId };
      },
    });
  };
}

// Builds the explanation in words, from what was stored at the time.

export const OUTCOMES = [
  ...DELIVERY_STATES,
  "NotSubscribed",
  "NotYetCreated",
  "AlreadyDeleted",
  "NotConcerned",
  "Filtered",
] as const;
export type WhyOutcome = (typeof OUTCOMES)[number];

export interface Explanation {
  outcome: WhyOutcome;
  reason: string;
}

export interface ExplainedEvent {
  withheld: ConnectionId[] | null;
  eventType: string;
  eventRecord: string;
  payload: string | null;
}

function explain(event: ExplainedEvent, connection: ConnectionAtEvent): Explanation {
  const { delivery } = connection;
  return delivery
    ? { outcome: delivery.state, reason: whatBecame(event, connection, delivery) }
    : whyNone(event, connection);
}

function whyNone(
  { eventType, eventRecord, payload, withheld }: ExplainedEvent,
  connection: ConnectionAtEvent,
): Explanation {
  const { past, createdOn } = connection;
  if (withheld?.includes(connection.id)) return { outcome: "Filtered", reason: "its filter did not match" };
  if (eventType === PING) return { outcome: "NotConcerned", reason: "a ping goes only to the connection it tests" };
  if (!past) return { outcome: "NotYetCreated", reason: `created after the event, at ${createdOn.toISOString()}` };
  if (past.deletedOn) return { outcome: "AlreadyDeleted", reason: `deleted at ${past.deletedOn.toISOString()}` };
  const missing = [
    ...(past.entities.includes(eventRecord) ? [] : [eventRecord]),
    ...(past.events.includes(eventType) ? [] : [eventType]),
  ];
  if (missing.length > 0) {
    const isNow =
      !connection.deletedOn && connection.entities.includes(eventRecord) && connection.events.includes(eventType);
    const words = `not subscribed to ${missing.join(", nor to ")}`;
    return { outcome: "NotSubscribed", reason: isNow ? `${words} at that time; it is now` : words };
  }
  if (eventRecord === ALERT_RECORD && payload !== null && JSON.parse(payload).Data.ConnectionId === connection.id) {
    return { outcome: "NotConcerned", reason: "an alert is not sent to its own connection" };
  }
  // The change has an earlier time than the event but was committed later.
  return {
    outcome: "NotSubscribed",
    reason: "changed at the same time: its subscription was not committed before the event",
  };
}

function whatBecame({ eventType }: ExplainedEvent, connection: ConnectionAtEvent, delivery: ExplainedDelivery): string {
  switch (delivery.state) {
    case "Delivered":
      return `${arrival(connection, delivery)}${heldBack(connection)}${sentAgain(delivery)}`;
    case "Exhausted":
      return `exhausted: ${attemptsMade(delivery)}${before(connection, delivery)}`;
    case "Held":
      return `${whyHeld(connection, delivery.isGiven)}${delivery.attempts > 0 ? `; before that ${attemptsMade(delivery)}` : ""}${before(connection, delivery)}`;
    case "Cancelled":
      return connection.deletedOn && delivery.changedOn >= connection.deletedOn
        ? `cancelled: the connection was deleted at ${connection.deletedOn.toISOString()}`
        : "cancelled by Discard, by the erasure of a person, or in Temporal";
    default:
      // A ping is sent in any state of its connection.
      return whatIsNext(eventType === PING ? "Active" : connection.state, delivery) + before(connection, delivery);
  }
}

function whatIsNext(state: ConnectionState, delivery: ExplainedDelivery): string {
  const { attempts, earlierAttempts, attemptUnderWay, last, arrived } = delivery;
  if (attemptUnderWay) return `the ${ordinal(attempts)} attempt is in progress`;
  const willBeHeld = `it will be Held, because the connection is ${state}`;
  if (attempts === earlierAttempts) {
    const earlier = attempts > 0 && !arrived ? `; before that ${attemptsMade(delivery)}` : "";
    const again = attempts > 0 ? " again" : "";
    const next = state === "Active" ? `in progress${again}, not attempted yet` : `not attempted yet; ${willBeHeld}`;
    return next + earlier;
  }
  const failed = `the ${ordinal(attempts)} attempt failed${last ? ` with ${wordOf(last)}` : ""}`;
  return state === "Active" ? `${failed}, a retry follows` : `${failed}; ${willBeHeld}`;
}

function whyHeld({ kind, state, stateSince, heldReason, drainPaused }: ConnectionAtEvent, isGiven: boolean): string {
  if (kind === "Pull" && isGiven) return "given to a consumer, which has not acknowledged it";
  if (kind === "Pull" && state === "Active") return "waits until a consumer asks for it";
  const since = stateSince ? ` since ${stateSince.toISOString()}` : "";
  if (state === "Paused") return `paused${since}`;
  if (state === "Held") return `held${since}${heldReason ? ` after ${heldReason}` : ""}`;
  return `earlier missed deliveries are sent first${drainPaused ? ", and its Drain is paused" : ""}`;
}

function heldBack({ past }: ConnectionAtEvent): string {
  return past && past.state !== "Active" ? `; the connection was ${past.state.toLowerCase()} at first` : "";
}

function attemptsMade({ attempts, runs, last }: ExplainedDelivery): string {
  const count = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return `${count}${runs > 1 ? ` in ${runs} runs` : ""}${last ? `, last ${wordOf(last)}` : ""}`;
}

/** A 413 is about this payload, and no retry helps. */
function wordOf({ word }: NonNullable<ExplainedDelivery["last"]>): string {
  return word === "413" ? "413, because the payload is larger than the receiver accepts" : word;
}

/** When the receiver first got it; later redeliveries do not count. */
function arrival({ eventTime }: ConnectionAtEvent, { arrived, attempts }: ExplainedDelivery): string {
  const attempt = `delivered at the ${ordinal(arrived?.number ?? attempts)} attempt`;
  return arrived ? `${attempt}, ${duration(arrived.endedOn.getTime() - eventTime.getTime())} after the event` : attempt;
}

function sentAgain({ arrived, attempts }: ExplainedDelivery): string {
  return arrived && attempts > arrived.number
    ? `; sent again since, and delivered at the ${ordinal(attempts)} attempt`
    : "";
}

/** For a delivery that was resent after success. */
function before(connection: ConnectionAtEvent, delivery: ExplainedDelivery): string {
  return delivery.arrived ? `; sent again after it was ${arrival(connection, delivery)}` : "";
}

function ordinal(count: number): string {
  const [tens, ones] = [count % 100, count % 10];
  const suffix = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][ones] ?? "th");
  return `${count}${suffix}`;
}

/** Uses the largest unit with a value of at least two. */
function duration(milliseconds: number): string {
  const units = [
    ["days", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1_000],
  ] as const;
  const min = Math.max(0, milliseconds);
  const [unit, size] = units.find(([, length]) => min >= 2 * length) ?? ["ms", 1];
  return `${Math.round(min / size)} ${unit}`;
}

export function whyRoutes(explainEvent: ExplainEvent): Route[] {
  return [
    route({
      method: "GET",
      path: "/WebhookEvent/{EventId}/Why",
      id: "explainWebhookEvent",
      tag: EVENT_LOG_TAG,
      summary: "Why each connection did or did not get one change",
      description:
        "For every connection, newest first and including deleted ones, as it was at the time of the change.",
      scopes: ["Webhooks:Read"],
      params: EVENT_ID,
      paged: true,
      filters: { ConnectionId: connectionFilter("Only this connection.") },
      answer: { description: "A page of connections.", schema: WHY, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle(caller, { params, filters: { ConnectionId }, paging }) {
        const filter = ConnectionId ? { connectionIds: [ConnectionId] } : {};
        return explainEvent(caller, params.EventId, filter, paging);
      },
    }),
  ];
}

const WHY = Type.Object(
  {
    ConnectionId: uuid(),
    ConnectionName: Type.String(),
    Outcome: word(OUTCOMES, {
      description: "The delivery's State, or why there is none. NotConcerned: a ping goes to one connection only.",
    }),
    Reason: Type.String({ description: "Readable text." }),
    DeliveryId: orNull(uuid()),
  },
  { $id: "WebhookWhy" },
);

const EXAMPLE = [
  {
    ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
    ConnectionName: "payroll changes",
    Outcome: "Delivered",
    Reason: "delivered at the 2nd attempt, 12 s after the event",
    DeliveryId: "5b0cf0f4-8a39-4c43-9d0e-0d1f6d7f4b1a",
  },
  {
    ConnectionId: "0197c6f1-0000-7cde-8f01-23456789abcd",
    ConnectionName: "archive",
    Outcome: "NotSubscribed",
    Reason: "not subscribed to Created",
    DeliveryId: null,
  },
];
