import type { RecordOf } from "../../platform/http/fields.ts";
import type { Route } from "../../platform/http/route.ts";
import { type Log, logRoutes } from "../access/log.ts";
import { REQUEST, REQUEST_FILTERS, type RequestFilter } from "./contract.ts";

export type RequestRecord = RecordOf<typeof REQUEST.field>;
export type Requests = Log<"Settings:Read", RequestRecord, RequestFilter>;

export function requestRoutes(requests: Requests): Route[] {
  return logRoutes(REQUEST, requests, {
    filters: REQUEST_FILTERS,
    list: {
      summary: "List recent requests",
      description:
        "Newest first. A request appears a second after its response. Unauthenticated requests are " +
        "not listed, and some are dropped above a limit.",
    },
    read: { summary: "Read a recent request" },
  });
}
