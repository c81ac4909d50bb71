// GET WebhookEvent/DeadLetters.

import { Elysia } from "elysia";
import { type Authenticate, answer, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { requireMethod } from "../../http/method.ts";
import { readPaging } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readMoment, readQuery, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { MasterKey } from "../../master-key.ts";
import { readConnectionId } from "../connections/filter.ts";
import { readDeadLetters } from "./service.ts";
import { DEAD_STATES } from "./store.ts";

const FILTERS = ["ConnectionId", "State", "From", "To"];

export function deadLettersController(sql: Sql, masterKey: MasterKey, authenticate: Authenticate) {
  return new Elysia().all(
    `${API_PATH}/WebhookEvent/DeadLetters`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      requireScopes(caller, "Webhooks:Read");
      const query = readQuery(requestUrl(request).searchParams, FILTERS);
      const filter = {
        connectionId: readConnectionId(query),
        state: readWord(query, "State", DEAD_STATES),
        from: readMoment(query, "From"),
        to: readMoment(query, "To"),
      };
      return answer(await readDeadLetters(sql, masterKey, caller, filter, readPaging(query)));
    },
    { parse: "none" },
  );
}
