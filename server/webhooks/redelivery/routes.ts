import { Type } from "@sinclair/typebox";
import { uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { RedeliveryId } from "../../platform/ids.ts";
import { route } from "../../records/index.ts";
import { REDELIVERY, REDELIVERY_CHANGE, REDELIVERY_COUNT, REPLAY, REPLAY_DATA } from "./contract.ts";
import type { Redeliveries } from "./service.ts";
import { DRAIN_RATE } from "./store.ts";

export const REDELIVERY_TAG = {
  name: "Redelivery",
  description:
    "A connection's deliveries, sent again one after another in the order of their events, with " +
    "counts. A Replay resends finished deliveries; a Drain sends all that a connection has missed, and " +
    `starts automatically, ${DRAIN_RATE} a second, when the connection accepts posts again.`,
};

export function redeliveryRoutes(redeliveries: Redeliveries): Route[] {
  const path = "/Redelivery";
  const tag = REDELIVERY_TAG;
  const answer = { description: "The redelivery.", schema: REDELIVERY.record, example: REDELIVERY.example };
  const one = {
    tag,
    path: `${path}/{Id}`,
    params: { Id: uuidParameter<RedeliveryId>("The redelivery's Id.", "Redelivery") },
    answer,
  };
  const { ConnectionId, From, To, Rate } = REDELIVERY.example;
  return [
    route({
      method: "GET",
      path,
      id: "listRedelivery",
      tag,
      summary: "List redeliveries",
      description: "Newest first.",
      scopes: ["Webhooks:Read"],
      paged: true,
      filters: redeliveries.filters,
      answer: { ...answer, description: "A page of redeliveries.", list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => redeliveries.list(caller, filters, paging),
    }),
    route({
      method: "POST",
      path,
      id: "createRedelivery",
      tag,
      summary: "Send many deliveries of a connection again",
      description:
        "Use DryRun first: it returns the count and starts nothing. While a connection has a Replay that " +
        "has not ended, a second one is 409. Each delivery gets all its attempts again.",
      scopes: ["Webhooks:Create"],
      body: {
        ...REPLAY_DATA,
        description: "The deliveries to send.",
        examples: {
          count: { ConnectionId, From, DryRun: true },
          failed: { ConnectionId, From, Rate },
          all: { ConnectionId, From, To, States: REPLAY.states },
        },
      },
      answer: {
        description: "The redelivery, or with DryRun the count.",
        schema: Type.Union([REDELIVERY.record, REDELIVERY_COUNT]),
        example: { ...REDELIVERY.example, State: "Running", Done: 0, Delivered: 0, Exhausted: 0, EndedOn: null },
      },
      errors: ["NotFound", "Conflict"],
      handle: (caller, { input, sent }) =>
        input.DryRun ? redeliveries.count(caller, input) : redeliveries.create(caller, input, sent),
    }),
    route({
      ...one,
      method: "GET",
      id: "getRedelivery",
      summary: "Read a redelivery with its progress",
      scopes: ["Webhooks:Read"],
      handle: (caller, { params }) => redeliveries.read(caller, params.Id),
    }),
    route({
      ...one,
      method: "PATCH",
      id: "changeRedelivery",
      summary: "Pause, resume or cancel a redelivery, or change its rate",
      description:
        "Deliveries already sent continue. A cancelled Drain leaves the rest Held and its connection Paused.",
      scopes: ["Webhooks:Update"],
      body: {
        ...REDELIVERY_CHANGE,
        description: "The fields to change.",
        examples: { pause: { State: "Paused" }, faster: { Rate: REPLAY.rate.max } },
      },
      errors: ["Conflict"],
      handle: (caller, { params, input, sent }) => redeliveries.change(caller, params.Id, input, sent),
    }),
  ];
}
