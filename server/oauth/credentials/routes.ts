// An Application's credentials: …/Application/{Id}/Credentials and …/Application/{Id}/Secrets.

import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { answerRead, answerRecord, readConditions } from "../../http/conditions.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { API_PATH } from "../../http/paths.ts";
import { readId } from "../../http/record-id.ts";
import { toCredentialsRecord } from "./input.ts";
import { changeCredentials, makeSecret, readCredentials, readSecrets, removeSecret } from "./service.ts";
import type { StoredSecret } from "./store.ts";

export function credentialsController(sql: Sql, authenticate: Authenticate) {
  const application = `${API_PATH}/Application/:id`;
  return new Elysia()
    .all(
      `${application}/Credentials`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (isRead(request)) {
          const conditions = readConditions(request.headers);
          const credentials = await readCredentials(sql, caller, readId("Application", params.id));
          return answerRead(conditions, toCredentialsRecord(credentials));
        }
        requireJson(request);
        requireScopes(caller, "Settings:Update");
        const conditions = readConditions(request.headers);
        const body = await readJson(request);
        const id = readId("Application", params.id);
        return answerRecord(toCredentialsRecord(await changeCredentials(sql, caller, id, body, conditions)));
      },
      { parse: "none" },
    )
    .all(
      `${application}/Secrets`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "POST");
        if (isRead(request)) return list(sql, caller, params.id);
        const { secret, ...stored } = await makeSecret(sql, caller, readId("Application", params.id));
        return Response.json({ ...toSecretRecord(stored), Secret: secret }, { headers: NO_STORE });
      },
      { parse: "none" },
    )
    .all(
      `${application}/Secrets/:secretId`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "DELETE");
        return Response.json(
          toSecretRecord(await removeSecret(sql, caller, readId("Application", params.id), params.secretId)),
        );
      },
      { parse: "none" },
    );
}

async function list(sql: Sql, caller: Caller, id: string): Promise<Response> {
  const secrets = await readSecrets(sql, caller, readId("Application", id));
  return Response.json({ Items: secrets.map(toSecretRecord), Next: null });
}

function toSecretRecord({ id, createdOn }: StoredSecret) {
  return { Id: id, CreatedOn: createdOn.toISOString() };
}
