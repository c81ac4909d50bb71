import { Type } from "@sinclair/typebox";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../../records/index.ts";
import { CONNECTION } from "../connection.ts";
import { EVENT, EVENT_ID, MAX_STREAM_SECONDS, REDELIVER, streamFilters, wholeEvent } from "./contract.ts";
import type { RedeliverEvent } from "./redeliver-event.ts";
import type { EventLog } from "./service.ts";
import type { EventStreams } from "./stream.ts";

export const EVENT_LOG_TAG = {
  name: "WebhookEvent",
  description: "The activity log: every change, its deliveries and their attempts.",
};

export interface EventLogRoutes {
  eventLog: EventLog;
  eventStreams: EventStreams;
  redeliverEvent: RedeliverEvent;
}

export function eventLogRoutes({ eventLog, eventStreams, redeliverEvent }: EventLogRoutes): Route[] {
  const { entities } = eventLog;
  const path = "/WebhookEvent";
  const tag = EVENT_LOG_TAG;
  const params = EVENT_ID;
  const whole = wholeEvent(entities);
  return [
    route({
      method: "GET",
      path,
      id: "listWebhookEvent",
      tag,
      summary: "List changes with the state of their deliveries",
      description: "Newest first, without payload and attempts.",
      scopes: ["Webhooks:Read"],
      paged: true,
      filters: eventLog.filters,
      answer: { description: "A page of changes.", schema: EVENT.record, example: EVENT.example, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => eventLog.list(caller, filters, paging),
    }),
    route({
      method: "GET",
      path: `${path}/Stream`,
      id: "streamWebhookEvent",
      tag,
      summary: "Stream changes as they are committed",
      description:
        "Server-sent events (EventSource). The data of each is { Sequence, Payload }, what a receiver gets as " +
        "webhook-sequence and body, with or without a subscribed connection; changes that your policies hide are left " +
        "out. The stream ends after Seconds: reconnect with the last id as Last-Event-ID, at most 24 hours old, to " +
        "get all changes since. A change can arrive twice after an interruption.",
      scopes: ["Webhooks:Read"],
      filters: streamFilters(entities),
      answer: {
        description: "The stream, from now on or from Last-Event-ID.",
        schema: Type.String({ description: "Lines of `id`, `data` and `retry`." }),
        files: ["text/event-stream"],
      },
      handle: (caller, { request, filters: { Seconds = MAX_STREAM_SECONDS, ...wanted } }) =>
        eventStreams.open(caller, request, wanted, Seconds),
    }),
    route({
      method: "GET",
      path: `${path}/{EventId}`,
      id: "getWebhookEvent",
      tag,
      summary: "Read a change with its payload, deliveries and attempts",
      scopes: ["Webhooks:Read"],
      params,
      answer: { description: "The change.", schema: whole.record, example: whole.example },
      handle: (caller, { params: { EventId } }) => eventLog.readWhole(caller, EventId),
    }),
    route({
      method: "POST",
      path: `${path}/{EventId}/Redeliver`,
      id: "redeliverWebhookEvent",
      tag,
      summary: "Send a change again",
      description:
        "The same EventId and bytes, with all attempts again; earlier attempts stay in the log. A delivery to a connection " +
        "that is Paused is recorded as Held. 409 while a delivery of the change is in progress, and if all of " +
        "its connections are Held: resume one first with State Active.",
      scopes: ["Webhooks:Update"],
      params,
      body: {
        ...REDELIVER,
        description: "The recipients.",
        examples: { all: {}, one: { ConnectionId: CONNECTION.example.Id } },
      },
      answer: { description: "The change.", schema: EVENT.record, example: EVENT.example },
      errors: ["Conflict"],
      handle: (caller, { params: { EventId }, input }) =>
        redeliverEvent(caller, EventId, { connectionId: input.ConnectionId }),
    }),
  ];
}
