// The routes of Policy and Role, which differ in their records alone.

import { Elysia } from "elysia";
import type { Queries, Sql } from "../db/connection.ts";
import { NotFound } from "../errors.ts";
import { readJson, requireJson } from "../http/body.ts";
import { answerRead, answerRecord, type Conditions, readConditions } from "../http/conditions.ts";
import { isRead, requireMethod } from "../http/method.ts";
import { isUuid, readPaging, toPage } from "../http/paging.ts";
import { API_PATH } from "../http/paths.ts";
import { readQuery, readText } from "../http/query.ts";
import { requestUrl } from "../http/request-url.ts";
import type { TenantId } from "../tenants/index.ts";
import { type Authenticate, type Caller, requireScopes } from "./bearer.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";

export interface SettingsRoutes<Row extends { id: string }> {
  name: "Policy" | "Role";
  /** One more than the limit, if there are more. */
  list(
    sql: Queries,
    tenantId: TenantId,
    filter: { name?: string },
    limit: number,
    after: string | undefined,
  ): Promise<Row[]>;
  find(sql: Queries, tenantId: TenantId, key: { id: string }): Promise<Row | undefined>;
  toRecord(row: Row): PolicyRecord;
  save(caller: Caller, body: unknown, conditions: Conditions): Promise<PolicyRecord>;
  remove(caller: Caller, id: string, conditions: Conditions): Promise<PolicyRecord>;
}

export function settingsController<Row extends { id: string }>(
  sql: Sql,
  authenticate: Authenticate,
  { name, list, find, toRecord, save, remove }: SettingsRoutes<Row>,
) {
  const path = `${API_PATH}/${name}`;

  async function page(request: Request, { tenantId, permissions }: Caller): Promise<Response> {
    const query = readQuery(requestUrl(request).searchParams, ["Name"]);
    const { limit, after } = readPaging(query);
    const filter = { name: readText(query, "Name") };
    const readPage = async () =>
      toPage(await list(sql, tenantId, filter, limit, after), limit, (row) => row.id, toRecord);
    return Response.json(await permissions.readable("Settings:Read", name, readPage));
  }

  async function read({ tenantId, permissions }: Caller, id: string, conditions: Conditions): Promise<Response> {
    const row = await find(sql, tenantId, { id });
    if (!row) throw new NotFound(`There is no ${name} with this Id.`);
    const record = toRecord(row);
    permissions.require("Settings:Read", name, record);
    return answerRead(conditions, record);
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (!isRead(request)) requireJson(request);
        requireScopes(caller, isRead(request) ? "Settings:Read" : "Settings:Update");
        if (isRead(request)) return page(request, caller);
        const conditions = readConditions(request.headers);
        return answerRecord(await save(caller, await readJson(request), conditions));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        requireScopes(caller, isRead(request) ? "Settings:Read" : "Settings:Update");
        const conditions = readConditions(request.headers);
        if (!isUuid(params.id)) throw new NotFound(`There is no ${name} with this Id.`);
        if (isRead(request)) return read(caller, params.id, conditions);
        return answerRecord(await remove(caller, params.id, conditions));
      },
      { parse: "none" },
    );
}
