import { Type } from "@sinclair/typebox";
import { route } from "../access/index.ts";
import { time, uuid } from "../http/fields.ts";
import {
  lastFilter,
  laterOf,
  momentFilter,
  recordIdFilter,
  textFilter,
  uuidParameter,
  type Values,
  wordFilter,
} from "../http/query.ts";
import type { Route } from "../http/route.ts";
import type { Requests } from "./service.ts";
import { type RequestFilter, STATUS_CLASSES } from "./store.ts";

export const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE"] as const;

export const FILTERS = {
  Status: wordFilter(STATUS_CLASSES, "The class of the status."),
  Method: wordFilter(METHODS, "The method."),
  Route: textFilter("A part of the route, in any case."),
  ClientId: recordIdFilter("The client that sent it.", { ofEntity: true }),
  RequestKey: textFilter("With this RequestKey, which a client may use for several requests."),
  Last: lastFilter("In this period up to now."),
  From: momentFilter("At this time or later."),
  To: momentFilter("Before this time."),
};

export function toRequestFilter(asked: Partial<Values<typeof FILTERS>>): RequestFilter {
  return {
    status: asked.Status,
    method: asked.Method,
    route: asked.Route,
    clientId: asked.ClientId,
    requestKey: asked.RequestKey,
    from: laterOf(asked.From, asked.Last),
    to: asked.To,
  };
}

export function requestRoutes(requests: Requests): Route[] {
  const path = "/Request";
  const shared = {
    method: "GET" as const,
    tag: {
      name: "Request",
      description: "Requests of clients in the last 24 hours, without paths, queries or bodies.",
    },
    scopes: ["Settings:Read"] as const,
  };
  return [
    route({
      ...shared,
      path,
      id: "listRequest",
      summary: "List recent requests",
      description:
        "Newest first. A request appears a second after its response. Unauthenticated requests are " +
        "not listed, and some are dropped above a limit.",
      paged: true,
      filters: FILTERS,
      answer: { description: "A page of requests.", schema: REQUEST, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => requests.list(caller, toRequestFilter(filters), paging),
    }),
    route({
      ...shared,
      path: `${path}/{Id}`,
      id: "getRequest",
      summary: "Read a recent request",
      params: { Id: uuidParameter("The request's Id.", "Request") },
      answer: { description: "The request.", schema: REQUEST, example: EXAMPLE },
      handle: (caller, { params }) => requests.read(caller, params.Id),
    }),
  ];
}

const REQUEST = Type.Object(
  {
    Id: uuid(),
    OccurredOn: time("When it arrived."),
    Method: Type.String(),
    Route: Type.String({ description: "The route's pattern, without the values in the path." }),
    Status: Type.Integer(),
    DurationMs: Type.Number({ description: "Milliseconds until the response." }),
    ClientId: Type.String({ description: "The Application that sent it." }),
    RequestKey: Type.String({ description: "As in its X-Request-Id and error record." }),
    Omitted: Type.Integer({ description: "Earlier requests of the tenant that were dropped." }),
  },
  { $id: "Request" },
);

const EXAMPLE = {
  Id: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
  OccurredOn: "2026-01-31T12:00:00.000Z",
  Method: "PATCH",
  Route: "/Endpoint/rest/api/v1/Application",
  Status: 409,
  DurationMs: 7.3,
  ClientId: "1001",
  RequestKey: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b6",
  Omitted: 0,
};
