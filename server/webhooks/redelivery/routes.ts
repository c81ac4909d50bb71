// Redelivery: bulk redeliveries, wished for and followed.

import { Elysia } from "elysia";
import { REDELIVERY_STATES } from "../../../workflows/contract.ts";
import { type Authenticate, answer, type Caller, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { readPaging } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import { readConnectionId } from "../connections/filter.ts";
import { parseRedelivery, parseRedeliveryChange } from "./input.ts";
import { readRedeliveries, readRedelivery } from "./read.ts";
import type { WorkflowUrl } from "./record.ts";
import { changeRedelivery, countRedelivery, createRedelivery } from "./service.ts";
import { REDELIVERY_KINDS } from "./store.ts";

export interface RedeliveryRoutes {
  sql: Sql;
  authenticate: Authenticate;
  workflowUrl: WorkflowUrl;
}

export function redeliveriesController({ sql, authenticate, workflowUrl }: RedeliveryRoutes) {
  const path = `${API_PATH}/Redelivery`;

  async function list(request: Request, caller: Caller): Promise<Response> {
    const query = readQuery(requestUrl(request).searchParams, ["ConnectionId", "Kind", "State"]);
    const filter = {
      connectionId: readConnectionId(query),
      kind: readWord(query, "Kind", REDELIVERY_KINDS),
      state: readWord(query, "State", REDELIVERY_STATES),
    };
    return answer(await readRedeliveries(sql, caller, filter, readPaging(query), workflowUrl));
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "POST");
        if (!isRead(request)) requireJson(request);
        requireScopes(caller, isRead(request) ? "Webhooks:Read" : "Webhooks:Create");
        if (isRead(request)) return list(request, caller);
        const body = await readJson(request);
        const { input, dryRun } = parseRedelivery(body);
        if (dryRun) return answer(await countRedelivery(sql, caller, input));
        return answer(await createRedelivery(sql, caller, input, workflowUrl, body));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH");
        if (!isRead(request)) requireJson(request);
        requireScopes(caller, isRead(request) ? "Webhooks:Read" : "Webhooks:Update");
        if (isRead(request)) return answer(await readRedelivery(sql, caller, params.id, workflowUrl));
        const body = await readJson(request);
        const change = parseRedeliveryChange(body);
        return answer(await changeRedelivery(sql, caller, params.id, change, workflowUrl, body));
      },
      { parse: "none" },
    );
}
