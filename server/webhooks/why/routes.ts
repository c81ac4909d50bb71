// GET WebhookEvent/{EventId}/Why.

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../db/connection.ts";
import { orNull, uuid, word } from "../../http/fields.ts";
import { textParameter } from "../../http/inputs.ts";
import { type Route, route } from "../../http/route.ts";
import type { MasterKey } from "../../master-key.ts";
import { connectionFilter } from "../connections/filter.ts";
import { EVENT_LOG_TAG } from "../log/routes.ts";
import { OUTCOMES } from "./explain.ts";
import { explainEvent } from "./service.ts";

export function whyRoutes(sql: Sql, masterKey: MasterKey): Route[] {
  return [
    route({
      method: "GET",
      path: "/WebhookEvent/{EventId}/Why",
      id: "explainWebhookEvent",
      tag: EVENT_LOG_TAG,
      summary: "Why each connection did or did not get one change",
      description:
        "Of every connection, the newest first and those that are deleted too, as it was when the change was made.",
      scopes: ["Webhooks:Read"],
      params: { EventId: textParameter("The EventId of the payload.", uuid()) },
      paged: true,
      filters: { ConnectionId: connectionFilter("Of this connection alone.") },
      answer: { description: "A page of connections.", schema: WHY, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle(caller, { params, filters: { ConnectionId }, paging }) {
        const filter = ConnectionId ? { connectionIds: [ConnectionId] } : {};
        return explainEvent(sql, masterKey, caller, params.EventId, filter, paging);
      },
    }),
  ];
}

const WHY = Type.Object(
  {
    ConnectionId: uuid(),
    ConnectionName: Type.String(),
    Outcome: word(OUTCOMES, {
      description: "The delivery's State, or why there is none. NotConcerned: a ping goes to one connection alone.",
    }),
    Reason: Type.String({ description: "In words, for people." }),
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
