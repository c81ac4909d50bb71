// …/IdentityProvider: where a tenant's users may sign in instead of here.

import { Elysia } from "elysia";
import { type Authenticate, answer, answerRead, answerRecord, requireScopes } from "../../../access/index.ts";
import { readJson, requireJson } from "../../../http/body.ts";
import { readConditions } from "../../../http/conditions.ts";
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
        if (isRead(request)) return answer(await providers.list(caller, requestUrl(request).searchParams));
        requireJson(request);
        requireScopes(caller, "Settings:Update");
        const conditions = readConditions(request.headers);
        return answerRecord(await providers.save(caller, await readJson(request), conditions));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        const conditions = readConditions(request.headers);
        if (isRead(request)) return answerRead(conditions, await providers.read(caller, params.id));
        return answerRecord(await providers.remove(caller, params.id, conditions));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id/Test`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        return answer(await providers.test(caller, params.id));
      },
      { parse: "none" },
    );
}
