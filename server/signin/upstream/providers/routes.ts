// …/IdentityProvider: where a tenant's users may sign in instead of here.

import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../../access/index.ts";
import type { Sql } from "../../../db/connection.ts";
import { NotFound } from "../../../errors.ts";
import { readJson, requireJson } from "../../../http/body.ts";
import { requireMethod } from "../../../http/method.ts";
import { readPaging, toPage } from "../../../http/paging.ts";
import { API_PATH } from "../../../http/paths.ts";
import { readQuery } from "../../../http/query.ts";
import { requestUrl } from "../../../http/request-url.ts";
import type { MasterKey } from "../../../keys/master-key.ts";
import { parseProvider } from "./input.ts";
import { createProviderService } from "./service.ts";
import { listProviders } from "./store.ts";

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

  async function list(request: Request, { tenantId, permissions }: Caller): Promise<Response> {
    const { limit, after } = readPaging(readQuery(requestUrl(request).searchParams, []), isId);
    const readPage = async () =>
      toPage(await listProviders(sql, tenantId, limit, after), limit, (row) => String(row.id), toRecord);
    return Response.json(await permissions.readable("Settings:Read", "IdentityProvider", readPage));
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (request.method !== "GET") requireJson(request);
        requireScopes(caller, request.method === "GET" ? "Settings:Read" : "Settings:Update");
        if (request.method === "GET") return list(request, caller);
        return Response.json(await save(caller, parseProvider(await readJson(request), checkUrl)));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        requireScopes(caller, request.method === "GET" ? "Settings:Read" : "Settings:Update");
        if (!isId(params.id)) throw new NotFound("There is no IdentityProvider with this Id.");
        const id = Number(params.id);
        return Response.json(request.method === "GET" ? await read(caller, id) : await remove(caller, id));
      },
      { parse: "none" },
    );
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}
