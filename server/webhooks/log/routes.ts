// WebhookEvent: the activity log, and an event sent again.

import { Elysia } from "elysia";
import { type Authenticate, requireScopes } from "../../access/index.ts";
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
import { readEvent, readEvents } from "./read.ts";
import { toAttemptRecord, toEventRecord, type WorkflowUrl } from "./record.ts";
import { listAttempts } from "./store.ts";

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
        return Response.json(await readEvents(sql, caller, filter, readPaging(query), workflowUrl));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        requireScopes(caller, "Webhooks:Read");
        const event = await readEvent(sql, caller, params.id);
        const record = toEventRecord(event, workflowUrl);
        const attempts = await listAttempts(sql, caller.tenantId, event.id);
        return Response.json({
          ...record,
          Payload: JSON.parse(event.payload),
          Deliveries: record.Deliveries.map((delivery) => ({
            ...delivery,
            Attempts: attempts.filter((attempt) => attempt.deliveryId === delivery.Id).map(toAttemptRecord),
          })),
        });
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
        return Response.json(toEventRecord(await redeliverEvent(sql, caller, params.id, connectionId), workflowUrl));
      },
      { parse: "none" },
    );
}
