import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { isUuid, readPaging, toPage } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery, readText, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { MasterKey } from "../../keys/master-key.ts";
import { parseConnection } from "./input.ts";
import { removeConnection, toConnectionRecord, upsertConnection } from "./service.ts";
import { CONNECTION_STATES, findConnection, listConnections } from "./store.ts";

export interface ConnectionRoutes {
  sql: Sql;
  masterKey: MasterKey;
  authenticate: Authenticate;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  checkUrl: (url: string) => string | undefined;
}

export function connectionsController({ sql, masterKey, authenticate, entities, checkUrl }: ConnectionRoutes) {
  const path = `${API_PATH}/WebhookConnection`;

  async function list(request: Request, caller: Caller): Promise<Response> {
    requireScopes(caller, "Webhooks:Read");
    const query = readQuery(requestUrl(request).searchParams, ["Name", "State"]);
    const { limit, after } = readPaging(query);
    const filter = { name: readText(query, "Name"), state: readWord(query, "State", CONNECTION_STATES) };
    const rows = await listConnections(sql, caller.tenantId, filter, limit, after);
    const page = toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => toConnectionRecord(masterKey, row),
    );
    return Response.json({
      ...page,
      Items: page.Items.filter((record) => caller.permissions.allows("Webhooks:Read", "WebhookConnection", record)),
    });
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (isRead(request)) return list(request, caller);
        requireJson(request);
        requireScopes(caller, "Webhooks:Create", "Webhooks:Update");
        const input = parseConnection(await readJson(request), entities, checkUrl);
        return Response.json(await upsertConnection(sql, masterKey, caller, input));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        const action = isRead(request) ? "Webhooks:Read" : "Webhooks:Delete";
        requireScopes(caller, action);
        const connection = isUuid(params.id) ? await findConnection(sql, caller.tenantId, params.id) : undefined;
        if (!connection) throw new NotFound("There is no WebhookConnection with this Id.");
        const record = toConnectionRecord(masterKey, connection);
        caller.permissions.require(action, "WebhookConnection", record);
        if (action === "Webhooks:Delete") await removeConnection(sql, caller, params.id);
        return Response.json(record);
      },
      { parse: "none" },
    );
}
