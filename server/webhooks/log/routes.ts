// WebhookEvent: the activity log, and an event sent again.

import { Elysia } from "elysia";
import { type Authenticate, answer, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { requireMethod } from "../../http/method.ts";
import { readPaging } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { readQuery } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import { redeliverEvent } from "../redelivery/event/redeliver-event.ts";
import { parseRedeliver } from "../redelivery/input.ts";
import { EVENT_FILTERS, readEventFilter } from "./filter.ts";
import { readEvents, readWholeEvent } from "./read.ts";
import type { WorkflowUrl } from "./record.ts";

export const EVENT_LOG_TAG = {
  name: "WebhookEvent",
  description: "The activity log: every change, its deliveries and their attempts.",
};

export interface EventLogRoutes {
  sql: Sql;
  authenticate: Authenticate;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  workflowUrl: WorkflowUrl;
}

export function eventLogController({ sql, authenticate, entities, workflowUrl }: EventLogRoutes) {
  const path = `${API_PATH}/WebhookEvent`;

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        requireScopes(caller, "Webhooks:Read");
        const query = readQuery(requestUrl(request).searchParams, EVENT_FILTERS);
        const filter = readEventFilter(query, entities);
        return answer(await readEvents(sql, caller, filter, readPaging(query), workflowUrl));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        requireScopes(caller, "Webhooks:Read");
        return answer(await readWholeEvent(sql, caller, params.id, workflowUrl));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id/Redeliver`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        requireJson(request);
        requireScopes(caller, "Webhooks:Update");
        const connectionId = parseRedeliver(await readJson(request));
        return answer(await redeliverEvent(sql, caller, params.id, workflowUrl, connectionId));
      },
      { parse: "none" },
    );
}
