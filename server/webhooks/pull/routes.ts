import { Type } from "@sinclair/typebox";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { body } from "../../platform/http/contract.ts";
import { field, orNull, time, UUID, uuid } from "../../platform/http/fields.ts";
import { countParameter, DEFAULT_LIMIT, MAX_LIMIT } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { EventId } from "../../platform/ids.ts";
import { route } from "../../records/index.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "../connections/routes.ts";
import { toEventId } from "../log/contract.ts";
import { COUNTED_TO, type Pulls } from "./service.ts";

/** Proxies end a request without an answer after a minute. */
export const MAX_WAIT_SECONDS = 50;
export const LEASE_SECONDS = { min: 1, usual: 30, max: 3_600 };

const COUNTS = { min: 1, max: MAX_LIMIT, usual: DEFAULT_LIMIT };
const WAIT_SECONDS = { min: 0, max: MAX_WAIT_SECONDS, usual: 0 };
const QUERY = {
  Limit: countParameter("Limit", COUNTS, "The maximum number of events."),
  Wait: countParameter("Wait", WAIT_SECONDS, "Seconds to wait for an event if there is none."),
  Lease: countParameter("Lease", LEASE_SECONDS, "Seconds of the lease."),
};

const ACK = body(
  { name: "Ack", $id: "WebhookAck", needs: ["Upto"] },
  {
    Upto: field<EventId>({
      description: "The EventId of the last processed event.",
      sent: Type.String({ pattern: UUID }),
      must: "must be an EventId.",
      take: (value: string) => toEventId(value.toLowerCase()),
    }),
  },
);

const EVENTS = Type.Object(
  {
    Items: Type.Array(
      Type.Object({
        EventId: uuid(),
        Headers: Type.Record(Type.String(), Type.String(), { description: "The headers of a call, with signatures." }),
        Body: Type.String({ description: "The body of a call: the exact text that is signed." }),
      }),
      { description: "In the order of their changes." },
    ),
    LeasedUntil: orNull(time(), { description: "Until then no other consumer gets them; null: there are none." }),
    Waiting: Type.Integer({ description: `All events that are not acknowledged, counted up to ${COUNTED_TO}.` }),
    Gap: orNull(Type.Object({ Count: Type.Integer(), From: time(), To: time() }), {
      description:
        "Events before or among these that no consumer gets, because they were discarded or cancelled, with the times " +
        "of the first and the last. It is repeated until an acknowledgement.",
    }),
  },
  { $id: "WebhookPulledEvents" },
);

const EVENT_ID = "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5";

export function pullRoutes(pulls: Pulls): Route[] {
  return [
    route({
      method: "GET",
      path: "/WebhookConnection/{Id}/Events",
      id: "pullWebhookEvents",
      tag: CONNECTION_TAG,
      summary: "Get the next events of a Pull connection",
      description:
        "They are leased: until LeasedUntil, or until all are acknowledged, no consumer gets events of this connection. " +
        "Then those that are not acknowledged are given again. The caller gets what a receiver would get, so it " +
        "must be allowed to change the connection.",
      scopes: ["Webhooks:Update"],
      params: CONNECTION_ID,
      query: QUERY,
      answer: {
        description: "The events.",
        schema: EVENTS,
        example: {
          Items: [{ EventId: EVENT_ID, Headers: { "webhook-id": EVENT_ID }, Body: '{"TenantId":"…"}' }],
          LeasedUntil: "2026-01-31T12:00:30.000Z",
          Waiting: 1,
          Gap: null,
        },
        headers: NO_STORE,
      },
      errors: ["Conflict", "TooManyRequests"],
      // HEAD takes no events (RFC 9110 9.2.1).
      handle: (caller, { request, params: { Id }, query: { Limit, Wait, Lease } }) =>
        request.method === "HEAD"
          ? pulls.take(caller, Id, { limit: 0, waitMs: 0, leaseMs: 0 }, request.signal)
          : pulls.take(caller, Id, { limit: Limit, waitMs: Wait * 1_000, leaseMs: Lease * 1_000 }, request.signal),
    }),
    route({
      method: "POST",
      path: "/WebhookConnection/{Id}/Ack",
      id: "acknowledgeWebhookEvents",
      tag: CONNECTION_TAG,
      summary: "Acknowledge events of a Pull connection",
      description:
        "Ends all given events up to this one; they are Delivered. A repeated call changes nothing, and one after the " +
        "lease's end is accepted.",
      scopes: ["Webhooks:Update"],
      params: CONNECTION_ID,
      body: { ...ACK, description: "The last processed event.", examples: { last: { Upto: EVENT_ID } } },
      answer: {
        description: "The number of events that this call has ended.",
        schema: Type.Object({ Acknowledged: Type.Integer() }, { $id: "WebhookAcknowledged" }),
        example: { Acknowledged: 1 },
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) => pulls.acknowledge(caller, Id, input.Upto),
    }),
  ];
}
