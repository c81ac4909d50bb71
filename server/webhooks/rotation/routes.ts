// WebhookConnection/{Id}/Secret.

import { Elysia } from "elysia";
import { type Authenticate, answer, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { API_PATH } from "../../http/paths.ts";
import type { MasterKey } from "../../master-key.ts";
import { connectionIdOf } from "../connections/record.ts";
import { parseStaging } from "./input.ts";
import { giveUpRotation, proveSecret, readRotation, stageNewSecret } from "./service.ts";

export interface SecretRoutes {
  sql: Sql;
  masterKey: MasterKey;
  authenticate: Authenticate;
  /** Milliseconds that a former secret signs beside the new one, unless a rotation says otherwise. */
  overlapMs: number;
}

export function secretController({ sql, masterKey, authenticate, overlapMs }: SecretRoutes) {
  const path = `${API_PATH}/WebhookConnection/:id/Secret`;
  const overlapSeconds = Math.ceil(overlapMs / 1_000);
  return new Elysia()
    .all(
      path,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "POST", "DELETE");
        if (request.method === "POST") requireJson(request);
        requireScopes(caller, isRead(request) ? "Webhooks:Read" : "Webhooks:Update");
        const id = connectionIdOf(params);
        if (isRead(request)) return answer(await readRotation(sql, masterKey, caller, id));
        if (request.method === "DELETE") return answer(await giveUpRotation(sql, masterKey, caller, id));
        const input = parseStaging(await readJson(request));
        return answer(await stageNewSecret(sql, masterKey, caller, id, input, overlapSeconds), NO_STORE);
      },
      { parse: "none" },
    )
    .all(
      `${path}/Prove`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        requireScopes(caller, "Webhooks:Update");
        return answer(await proveSecret(sql, masterKey, caller, connectionIdOf(params)));
      },
      { parse: "none" },
    );
}
