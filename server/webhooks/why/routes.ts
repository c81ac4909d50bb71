// GET WebhookEvent/{EventId}/Why.

import { Elysia } from "elysia";
import { type Authenticate, answer, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { requireMethod } from "../../http/method.ts";
import { readPaging } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { MasterKey } from "../../master-key.ts";
import { readConnectionId } from "../connections/filter.ts";
import { explainEvent } from "./service.ts";

export function whyController(sql: Sql, masterKey: MasterKey, authenticate: Authenticate) {
  return new Elysia().all(
    `${API_PATH}/WebhookEvent/:id/Why`,
    async ({ request, params }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      requireScopes(caller, "Webhooks:Read");
      const query = readQuery(requestUrl(request).searchParams, ["ConnectionId"]);
      const connectionId = readConnectionId(query);
      const filter = connectionId ? { connectionIds: [connectionId] } : {};
      return answer(await explainEvent(sql, masterKey, caller, params.id, filter, readPaging(query)));
    },
    { parse: "none" },
  );
}
