// Explains why connections did or did not get an event: GET WebhookEvent/{EventId}/Why.

import { Type } from "@sinclair/typebox";
import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import { type Caller, route, type ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/sql.ts";
import { ALERT_RECORD, PING } from "../../events/index.ts";
import { orNull, uuid, word } from "../../http/fields.ts";
import type { Paging } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import type { ConnectionId, DeliveryId, EventId } from "../../ids.ts";
import { connectionFilter } from "../connection-filter.ts";
import type { Connections } from "../connections/service.ts";
import type { ConnectionState } from "../connections.store.ts";
import { EVENT_ID } from "./contract.ts";
import { EVENT_LOG_TAG } from "./routes.ts";
import { requireEvent } from "./service.ts";
import { listWitnesses, type Witness, type WitnessedDelivery, type WitnessFilter } from "./why.store.ts";

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
  filter: WitnessFilter,
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
      read: (limit, after) => listWitnesses(sql, tenantId, event.id, filter, limit, after),
      id: (witness) => witness.id,
      resource: (witness) => recordOf(witness),
      item: (witness) => {
        const { outcome, reason } = explain(event, witness);
        const { Id, Name } = recordOf(witness);
        const DeliveryId = witness.delivery?.id ?? null;
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
] as const;
export type WhyOutcome = (typeof OUTCOMES)[number];

export interface Explanation {
  outcome: WhyOutcome;
  reason: string;
}

export interface ExplainedEvent {
  eventType: string;
  eventRecord: string;
  payload: string | null;
}

function explain(event: ExplainedEvent, witness: Witness): Explanation {
  const { delivery } = witness;
  return delivery ? { outcome: delivery.state, reason: whatBecame(event, witness, delivery) } : whyNone(event, witness);
}

function whyNone({ eventType, eventRecord, payload }: ExplainedEvent, witness: Witness): Explanation {
  const { past, createdOn } = witness;
  if (eventType === PING) return { outcome: "NotConcerned", reason: "a ping goes only to the connection it tests" };
  if (!past) return { outcome: "NotYetCreated", reason: `created after the event, at ${createdOn.toISOString()}` };
  if (past.deletedOn) return { outcome: "AlreadyDeleted", reason: `deleted at ${past.deletedOn.toISOString()}` };
  const missing = [
    ...(past.entities.includes(eventRecord) ? [] : [eventRecord]),
    ...(past.events.includes(eventType) ? [] : [eventType]),
  ];
  if (missing.length > 0) {
    const isNow = !witness.deletedOn && witness.entities.includes(eventRecord) && witness.events.includes(eventType);
    const words = `not subscribed to ${missing.join(", nor to ")}`;
    return { outcome: "NotSubscribed", reason: isNow ? `${words} at that time; it is now` : words };
  }
  if (eventRecord === ALERT_RECORD && payload !== null && JSON.parse(payload).Data.ConnectionId === witness.id) {
    return { outcome: "NotConcerned", reason: "an alert is not sent to its own connection" };
  }
  // The change has an earlier time than the event but was committed later.
  return {
    outcome: "NotSubscribed",
    reason: "changed at the same time: its subscription was not committed before the event",
  };
}

function whatBecame({ eventType }: ExplainedEvent, witness: Witness, delivery: WitnessedDelivery): string {
  switch (delivery.state) {
    case "Delivered":
      return `${arrival(witness, delivery)}${heldBack(witness)}${sentAgain(delivery)}`;
    case "Exhausted":
      return `exhausted: ${attemptsMade(delivery)}${before(witness, delivery)}`;
    case "Held":
      return `${whyHeld(witness)}${delivery.attempts > 0 ? `; before that ${attemptsMade(delivery)}` : ""}${before(witness, delivery)}`;
    case "Cancelled":
      return witness.deletedOn && delivery.changedOn >= witness.deletedOn
        ? `cancelled: the connection was deleted at ${witness.deletedOn.toISOString()}`
        : "cancelled by Discard, by the erasure of a person, or in Temporal";
    default:
      // A ping is sent in any state of its connection.
      return whatIsNext(eventType === PING ? "Active" : witness.state, delivery) + before(witness, delivery);
  }
}

function whatIsNext(state: ConnectionState, delivery: WitnessedDelivery): string {
  const { attempts, earlierAttempts, attemptUnderWay, last, arrived } = delivery;
  if (attemptUnderWay) return `the ${ordinal(attempts)} attempt is in progress`;
  const willBeHeld = `it will be Held, because the connection is ${state}`;
  if (attempts === earlierAttempts) {
    const earlier = attempts > 0 && !arrived ? `; before that ${attemptsMade(delivery)}` : "";
    const again = attempts > 0 ? " again" : "";
    const next = state === "Active" ? `in progress${again}, not attempted yet` : `not attempted yet; ${willBeHeld}`;
    return next + earlier;
  }
  const failed = `the ${ordinal(attempts)} attempt failed${last ? ` with ${last.word}` : ""}`;
  return state === "Active" ? `${failed}, a retry follows` : `${failed}; ${willBeHeld}`;
}

function whyHeld({ state, stateSince, heldReason, drainPaused }: Witness): string {
  const since = stateSince ? ` since ${stateSince.toISOString()}` : "";
  if (state === "Paused") return `paused${since}`;
  if (state === "Held") return `held${since}${heldReason ? ` after ${heldReason}` : ""}`;
  return `earlier missed deliveries are sent first${drainPaused ? ", and its Drain is paused" : ""}`;
}

function heldBack({ past }: Witness): string {
  return past && past.state !== "Active" ? `; the connection was ${past.state.toLowerCase()} at first` : "";
}

function attemptsMade({ attempts, runs, last }: WitnessedDelivery): string {
  const count = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return `${count}${runs > 1 ? ` in ${runs} runs` : ""}${last ? `, last ${last.word}` : ""}`;
}

/** When the receiver first got it; later redeliveries do not count. */
function arrival({ eventTime }: Witness, { arrived, attempts }: WitnessedDelivery): string {
  const attempt = `delivered at the ${ordinal(arrived?.number ?? attempts)} attempt`;
  return arrived ? `${attempt}, ${duration(arrived.endedOn.getTime() - eventTime.getTime())} after the event` : attempt;
}

function sentAgain({ arrived, attempts }: WitnessedDelivery): string {
  return arrived && attempts > arrived.number
    ? `; sent again since, and delivered at the ${ordinal(attempts)} attempt`
    : "";
}

/** For a delivery that was resent after success. */
function before(witness: Witness, delivery: WitnessedDelivery): string {
  return delivery.arrived ? `; sent again after it was ${arrival(witness, delivery)}` : "";
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
