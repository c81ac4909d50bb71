import { Elysia } from "elysia";
import {
  type Authenticate,
  answer,
  answerRead,
  answerRecord,
  type Caller,
  requireScopes,
  withoutRecords,
} from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { type Conditions, readConditions } from "../../http/conditions.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { readPaging } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery, readText, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { MasterKey } from "../../master-key.ts";
import { parseConnection } from "./input.ts";
import { pingConnection } from "./ping.ts";
import { readConnection, readConnections } from "./read.ts";
import { connectionIdOf } from "./record.ts";
import { removeConnection, upsertConnection } from "./service.ts";
import { CONNECTION_STATES } from "./store.ts";

export interface ConnectionRoutes {
  sql: Sql;
  masterKey: MasterKey;
  authenticate: Authenticate;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  checkUrl: (url: string) => string | undefined;
  /** Where a person opens a workflow in the Temporal UI. */
  workflowUrl: (workflowId: string) => string;
}

export function connectionsController(routes: ConnectionRoutes) {
  const { sql, masterKey, authenticate, entities, checkUrl, workflowUrl } = routes;
  const path = `${API_PATH}/WebhookConnection`;

  async function list(request: Request, caller: Caller): Promise<Response> {
    requireScopes(caller, "Webhooks:Read");
    const query = readQuery(requestUrl(request).searchParams, ["Name", "State"]);
    const filter = { name: readText(query, "Name"), state: readWord(query, "State", CONNECTION_STATES) };
    return answer(await readConnections(sql, masterKey, caller, filter, readPaging(query)));
  }

  async function read(caller: Caller, id: string, conditions: Conditions): Promise<Response> {
    return answerRead(conditions, await readConnection(sql, masterKey, caller, id));
  }

  /** What comes of it stands in the activity log. */
  const pinged = (eventId: string) =>
    answer(withoutRecords({ EventId: eventId, WorkflowId: eventId, WorkflowUrl: workflowUrl(eventId) }));

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
        const body = await readJson(request);
        const input = parseConnection(body, entities, checkUrl);
        return answerRecord(await upsertConnection(sql, masterKey, caller, input, conditions, body));
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
        const id = connectionIdOf(params);
        if (isRead(request)) return read(caller, id, conditions);
        return answerRecord(await removeConnection(sql, masterKey, caller, id, conditions));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id/Ping`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        requireScopes(caller, "Webhooks:Update");
        return pinged(await pingConnection(sql, masterKey, caller, connectionIdOf(params)));
      },
      { parse: "none" },
    );
}
