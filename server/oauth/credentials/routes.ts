// An Application's credentials: …/Application/{Id}/Credentials and …/Application/{Id}/Secrets.

import { Elysia } from "elysia";
import { type Access, type Authenticate, answer, answerRead, answerRecord, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { readConditions } from "../../http/conditions.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { API_PATH } from "../../http/paths.ts";
import { readId } from "../../http/record-id.ts";
import { changeCredentials, makeSecret, readCredentials, readSecrets, removeSecret } from "./service.ts";

export function credentialsController(sql: Sql, access: Pick<Access, "forget">, authenticate: Authenticate) {
  const application = `${API_PATH}/Application/:id`;
  return new Elysia()
    .all(
      `${application}/Credentials`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (isRead(request)) {
          const conditions = readConditions(request.headers);
          return answerRead(conditions, await readCredentials(sql, caller, readId("Application", params.id)));
        }
        requireJson(request);
        requireScopes(caller, "Settings:Update");
        const conditions = readConditions(request.headers);
        const body = await readJson(request);
        const id = readId("Application", params.id);
        return answerRecord(await changeCredentials(sql, access, caller, id, body, conditions));
      },
      { parse: "none" },
    )
    .all(
      `${application}/Secrets`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "POST");
        const id = readId("Application", params.id);
        if (isRead(request)) return answer(await readSecrets(sql, caller, id));
        return answer(await makeSecret(sql, caller, id), NO_STORE);
      },
      { parse: "none" },
    )
    .all(
      `${application}/Secrets/:secretId`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "DELETE");
        return answer(await removeSecret(sql, caller, readId("Application", params.id), params.secretId));
      },
      { parse: "none" },
    );
}
