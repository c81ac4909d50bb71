// Redelivery: bulk redeliveries, wished for and followed.

import { Elysia } from "elysia";
import { REDELIVERY_STATES } from "../../../workflows/contract.ts";
import { type Authenticate, type Caller, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { isUuid, readPaging, toPage } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import { readConnectionId } from "../connections/filter.ts";
import { parseRedelivery, parseRedeliveryChange } from "./input.ts";
import { redeliveryWorkflowId, toRedeliveryRecord } from "./record.ts";
import { changeRedelivery, countRedelivery, createRedelivery, noRedelivery } from "./service.ts";
import { findRedelivery, listRedeliveries, REDELIVERY_KINDS, type Redelivery } from "./store.ts";

export interface RedeliveryRoutes {
  sql: Sql;
  authenticate: Authenticate;
  /** Where a person opens a workflow in the Temporal UI. */
  workflowUrl: (workflowId: string) => string;
}

export function redeliveriesController({ sql, authenticate, workflowUrl }: RedeliveryRoutes) {
  const path = `${API_PATH}/Redelivery`;

  function record(redelivery: Redelivery) {
    const workflowId = redeliveryWorkflowId(redelivery.id);
    return { ...toRedeliveryRecord(redelivery), WorkflowId: workflowId, WorkflowUrl: workflowUrl(workflowId) };
  }

  async function list(request: Request, caller: Caller): Promise<Response> {
    const query = readQuery(requestUrl(request).searchParams, ["ConnectionId", "Kind", "State"]);
    const { limit, after } = readPaging(query);
    const filter = {
      connectionId: readConnectionId(query),
      kind: readWord(query, "Kind", REDELIVERY_KINDS),
      state: readWord(query, "State", REDELIVERY_STATES),
    };
    const readPage = async () => {
      const rows = await listRedeliveries(sql, caller.tenantId, filter, limit, after);
      return toPage(rows, limit, (row) => row.id, record);
    };
    return Response.json(await caller.permissions.readable("Webhooks:Read", "Redelivery", readPage));
  }

  async function read({ tenantId, permissions }: Caller, id: string): Promise<Response> {
    const redelivery = isUuid(id) ? await findRedelivery(sql, tenantId, id) : undefined;
    if (!redelivery) throw noRedelivery();
    permissions.require("Webhooks:Read", "Redelivery", toRedeliveryRecord(redelivery));
    return Response.json(record(redelivery));
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "POST");
        requireScopes(caller, isRead(request) ? "Webhooks:Read" : "Webhooks:Create");
        if (isRead(request)) return list(request, caller);
        requireJson(request);
        const { input, dryRun } = parseRedelivery(await readJson(request));
        if (dryRun) return Response.json({ Count: await countRedelivery(sql, caller, input) });
        return Response.json(record(await createRedelivery(sql, caller, input)));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH");
        requireScopes(caller, isRead(request) ? "Webhooks:Read" : "Webhooks:Update");
        if (isRead(request)) return read(caller, params.id);
        requireJson(request);
        const change = parseRedeliveryChange(await readJson(request));
        return Response.json(record(await changeRedelivery(sql, caller, params.id, change)));
      },
      { parse: "none" },
    );
}
