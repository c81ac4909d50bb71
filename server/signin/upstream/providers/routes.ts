// …/IdentityProvider: where a tenant's users may sign in instead of here.

import { Elysia } from "elysia";
import { type Authenticate, requireScopes } from "../../../access/index.ts";
import { readJson, requireJson } from "../../../http/body.ts";
import { answerRead, answerRecord, readConditions } from "../../../http/conditions.ts";
import { isRead, requireMethod } from "../../../http/method.ts";
import { API_PATH } from "../../../http/paths.ts";
import { requestUrl } from "../../../http/request-url.ts";
import type { IdentityProviders } from "./service.ts";

export function identityProvidersController(providers: IdentityProviders, authenticate: Authenticate) {
  const path = `${API_PATH}/IdentityProvider`;
  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (isRead(request)) return Response.json(await providers.list(caller, requestUrl(request).searchParams));
        requireJson(request);
        requireScopes(caller, "Settings:Update");
        const conditions = readConditions(request.headers);
        const { record, version } = await providers.save(caller, await readJson(request), conditions);
        return answerRecord(record, version);
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        const conditions = readConditions(request.headers);
        if (isRead(request)) {
          const { record, version } = await providers.read(caller, params.id);
          return answerRead(conditions, record, version);
        }
        const { record, version } = await providers.remove(caller, params.id, conditions);
        return answerRecord(record, version);
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id/Test`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        return Response.json(await providers.test(caller, params.id));
      },
      { parse: "none" },
    );
}
