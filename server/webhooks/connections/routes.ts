import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { answerRead, answerRecord, type Conditions, readConditions } from "../../http/conditions.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { isUuid, readPaging, toPage } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery, readText, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { MasterKey } from "../../keys/master-key.ts";
import { parseConnection } from "./input.ts";
import { noConnection, removeConnection, toConnectionRecord, upsertConnection, versionOf } from "./service.ts";
import { CONNECTION_STATES, type Connection, findConnection, listConnections } from "./store.ts";

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
    const readPage = async () => {
      const rows = await listConnections(sql, caller.tenantId, filter, limit, after);
      return toPage(
        rows,
        limit,
        (row) => row.id,
        (row) => toConnectionRecord(masterKey, row),
      );
    };
    return Response.json(await caller.permissions.readable("Webhooks:Read", "WebhookConnection", readPage));
  }

  async function read({ tenantId, permissions }: Caller, id: string, conditions: Conditions): Promise<Response> {
    const connection = await findConnection(sql, tenantId, id);
    if (!connection) throw noConnection();
    const record = toConnectionRecord(masterKey, connection);
    permissions.require("Webhooks:Read", "WebhookConnection", record);
    return answerRead(conditions, record, versionOf(masterKey, connection));
  }

  const answer = (connection: Connection) =>
    answerRecord(toConnectionRecord(masterKey, connection), versionOf(masterKey, connection));

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (isRead(request)) return list(request, caller);
        requireJson(request);
        requireScopes(caller, "Webhooks:Create", "Webhooks:Update");
        const conditions = readConditions(request.headers);
        const input = parseConnection(await readJson(request), entities, checkUrl);
        return answer(await upsertConnection(sql, masterKey, caller, input, conditions));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        requireScopes(caller, isRead(request) ? "Webhooks:Read" : "Webhooks:Delete");
        const conditions = readConditions(request.headers);
        if (!isUuid(params.id)) throw noConnection();
        if (isRead(request)) return read(caller, params.id, conditions);
        return answer(await removeConnection(sql, masterKey, caller, params.id, conditions));
      },
      { parse: "none" },
    );
}
