import type { Permitted, ResourceType, Shown, ShownPage } from "../access/index.ts";
import type { Sql } from "../db/sql.ts";
import { NotFound } from "../errors.ts";
import type { Paging } from "../http/query.ts";
import { timeOfId } from "../ids.ts";
import { findRequest, type LoggedRequest, listRequests, type RequestFilter } from "./store.ts";

export const REQUEST_RESOURCE_TYPE: ResourceType = {
  name: "Request",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "OccurredOn", type: "dateTime" },
    { name: "Method", type: "text" },
    { name: "Route", type: "text" },
    { name: "Status", type: "number" },
    { name: "ClientId", type: "text" },
  ],
};

const TYPE = REQUEST_RESOURCE_TYPE.name;

export interface Requests {
  /** A page, newest first, without requests that the caller may not read. @throws BadInput, ServiceBusy */
  list(caller: Permitted<"Settings:Read">, filter: RequestFilter, paging: Paging): Promise<ShownPage<RequestRecord>>;
  /** @throws Permission, NotFound */
  read(caller: Permitted<"Settings:Read">, id: string): Promise<Shown<RequestRecord>>;
}

export function createRequests(sql: Sql): Requests {
  return {
    list: ({ tenantId, gate }, filter, paging) =>
      gate.list({
        type: TYPE,
        paging,
        read: (limit, after) => listRequests(sql, tenantId, filter, limit, after),
        id: ({ id }) => id,
        item: toRecord,
      }),
    async read({ tenantId, gate }, id) {
      const request = await findRequest(sql, tenantId, id);
      if (!request) throw new NotFound("There is no Request with this Id.");
      return (await gate.show(TYPE, toRecord(request))).record;
    },
  };
}

export type RequestRecord = ReturnType<typeof toRecord>;

function toRecord(request: LoggedRequest) {
  return {
    Id: request.id,
    OccurredOn: timeOfId(request.id).toISOString(),
    Method: request.method,
    Route: request.route,
    Status: request.status,
    DurationMs: Math.round(request.durationMs * 10) / 10,
    ClientId: String(request.clientId),
    RequestKey: request.requestKey,
    Omitted: request.omitted,
  };
}
