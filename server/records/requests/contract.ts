import { Type } from "@sinclair/typebox";
import { readOnly, timeOfOwnId, uuid } from "../../platform/http/fields.ts";
import {
  lastFilter,
  momentFilter,
  recordIdFilter,
  textFilter,
  type Values,
  wordFilter,
} from "../../platform/http/query.ts";
import { record, SETTING } from "../record.ts";

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE"] as const;
export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;

export const REQUEST = record("Request", {
  table: "requests",
  description: "",
  scopes: SETTING,
  fields: {
    Id: readOnly(uuid(), { judged: true, example: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5" }),
    OccurredOn: timeOfOwnId({
      description: "When it arrived.",
      judged: true,
      example: "2026-01-31T12:00:00.000Z",
    }),
    Method: readOnly(Type.String(), { judged: true, example: "PATCH" }),
    Route: readOnly(Type.String(), {
      description: "The route's pattern, without the values in the path.",
      judged: true,
      example: "/Endpoint/rest/api/v1/Application",
    }),
    Status: readOnly(Type.Integer(), { judged: true, example: 409 }),
    DurationMs: readOnly(
      Type.Number(),
      { description: "Milliseconds until the response.", example: 7.3 },
      (milliseconds: number) => Math.round(milliseconds * 10) / 10,
    ),
    ClientId: readOnly(
      Type.String(),
      { description: "The Application that sent it.", judged: true, example: "1001" },
      (id: number) => String(id),
    ),
    RequestKey: readOnly(Type.String(), {
      description: "As in its X-Request-Id and error record.",
      example: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b6",
    }),
    Omitted: readOnly(Type.Integer(), {
      description: "Earlier requests of the tenant that were dropped.",
      example: 0,
    }),
  },
  texts: {
    group: "Requests of clients in the last 24 hours, without paths, queries or bodies.",
    remove: "",
  },
});

export const REQUEST_FILTERS = {
  Status: wordFilter(STATUS_CLASSES, "The class of the status."),
  Method: wordFilter(METHODS, "The method."),
  Route: textFilter("A part of the route, in any case."),
  ClientId: recordIdFilter("The client that sent it.", { ofEntity: true }),
  RequestKey: textFilter("With this RequestKey, which a client may use for several requests."),
  Last: lastFilter("In this period up to now."),
  From: momentFilter("At this time or later."),
  To: momentFilter("Before this time."),
};

export type RequestFilter = Partial<Values<typeof REQUEST_FILTERS>> & { TraceParent?: string };
