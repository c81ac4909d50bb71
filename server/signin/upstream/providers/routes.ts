// …/IdentityProvider: where a tenant's users may sign in instead of here.

import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../../access/index.ts";
import type { Sql } from "../../../db/connection.ts";
import { readJson, requireJson } from "../../../http/body.ts";
import { answerRead, answerRecord, readConditions } from "../../../http/conditions.ts";
import { isRead, requireMethod } from "../../../http/method.ts";
import { readPaging, toPage } from "../../../http/paging.ts";
import { API_PATH } from "../../../http/paths.ts";
import { readQuery, readText } from "../../../http/query.ts";
import { readId, toRecordId } from "../../../http/record-id.ts";
import { requestUrl } from "../../../http/request-url.ts";
import type { MasterKey } from "../../../keys/master-key.ts";
import { parseProvider } from "./input.ts";
import { createProviderService, versionOf } from "./service.ts";
import { listProviders, type Provider } from "./store.ts";

export interface ProviderRoutes {
  sql: Sql;
  masterKey: MasterKey;
  publicUrl: string;
  authenticate: Authenticate;
  /** Why an address cannot be saved, in words. */
  checkUrl: (url: string) => string | undefined;
}

export function identityProvidersController({ sql, masterKey, publicUrl, authenticate, checkUrl }: ProviderRoutes) {
  const path = `${API_PATH}/IdentityProvider`;
  const { read, save, remove, toRecord } = createProviderService(sql, masterKey, publicUrl);
  const answer = (provider: Provider) => answerRecord(toRecord(provider), versionOf(provider));

  async function list(request: Request, { tenantId, permissions }: Caller): Promise<Response> {
    const query = readQuery(requestUrl(request).searchParams, ["Name"]);
    const { limit, after } = readPaging(query, (key) => toRecordId(key) !== undefined);
    const filter = { name: readText(query, "Name") };
    const readPage = async () =>
      toPage(await listProviders(sql, tenantId, filter, limit, after), limit, (row) => String(row.id), toRecord);
    return Response.json(await permissions.readable("Settings:Read", "IdentityProvider", readPage));
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (!isRead(request)) requireJson(request);
        requireScopes(caller, isRead(request) ? "Settings:Read" : "Settings:Update");
        if (isRead(request)) return list(request, caller);
        const conditions = readConditions(request.headers);
        return answer(await save(caller, parseProvider(await readJson(request), checkUrl), conditions));
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
        const id = readId("IdentityProvider", params.id);
        if (!isRead(request)) return answer(await remove(caller, id, conditions));
        const provider = await read(caller, id);
        return answerRead(conditions, toRecord(provider), versionOf(provider));
      },
      { parse: "none" },
    );
}
