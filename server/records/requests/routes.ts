import type { Sql } from "../../platform/db/sql.ts";
import type { Route } from "../../platform/http/route.ts";
import { createLog, logRoutes } from "../access/log-kind.ts";
import { REQUEST, REQUEST_FILTERS } from "./contract.ts";
import { REQUESTS } from "./store.ts";

export type Requests = ReturnType<typeof createRequests>;

export const createRequests = (sql: Sql) => createLog(sql, REQUEST, REQUESTS, REQUEST_FILTERS);

export function requestRoutes(requests: Requests): Route[] {
  return logRoutes(REQUEST, requests, {
    list: {
      summary: "List recent requests",
      description:
        "Newest first. A request appears a second after its response. Unauthenticated requests are " +
        "not listed, and some are dropped above a limit.",
    },
    read: { summary: "Read a recent request" },
  });
}
