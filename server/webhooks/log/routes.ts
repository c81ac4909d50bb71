// WebhookEvent: the activity log, and an event sent again.

import { Elysia } from "elysia";
import { DELIVERY_STATES, type DeliveryState } from "../../../workflows/contract.ts";
import { type Authenticate, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { requireMethod } from "../../http/method.ts";
import { isUuid, readPaging, toPage } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { type Query, readMoment, readQuery, readWord } from "../../http/query.ts";
import { requestUrl } from "../../http/request-url.ts";
import { readConnectionId } from "../connections/filter.ts";
import { workflowId } from "../dispatch/start-workflow.ts";
import { LOGGED_EVENT_TYPES, PING_RECORD } from "../events/event-types.ts";
import { redeliverEvent } from "../redelivery/event/redeliver-event.ts";
import { parseRedeliver } from "../redelivery/input.ts";
import { toEventAttributes } from "./attributes.ts";
import {
  type EventFilter,
  findEvent,
  type LoggedAttempt,
  type LoggedEvent,
  listAttempts,
  listEvents,
} from "./store.ts";

/** From the most to the least urgent. */
const WORST_FIRST: DeliveryState[] = ["Exhausted", "Held", "Retrying", "Pending", "Cancelled", "Delivered"];

const FILTERS = ["EventRecord", "EventType", "State", "ConnectionId", "From", "To"];

export interface EventLogRoutes {
  sql: Sql;
  authenticate: Authenticate;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  /** Where a person opens a workflow in the Temporal UI. */
  workflowUrl: (workflowId: string) => string;
}

export function eventLogController({ sql, authenticate, entities, workflowUrl }: EventLogRoutes) {
  const path = `${API_PATH}/WebhookEvent`;

  function summary(event: LoggedEvent) {
    return {
      ...toEventAttributes(event),
      State: WORST_FIRST.find((state) => event.deliveries.some((delivery) => delivery.state === state)) ?? null,
      Reason: reasonNobodyGotIt(event),
      WorkflowId: event.id,
      WorkflowUrl: workflowUrl(event.id),
      Deliveries: event.deliveries.map((delivery) => ({
        Id: delivery.id,
        ConnectionId: delivery.connectionId,
        State: delivery.state,
        AttemptCount: delivery.attempts,
        WorkflowId: workflowId(event.id, delivery.part),
        WorkflowUrl: workflowUrl(workflowId(event.id, delivery.part)),
      })),
    };
  }

  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        requireScopes(caller, "Webhooks:Read");
        const query = readQuery(requestUrl(request).searchParams, FILTERS);
        const { limit, after } = readPaging(query);
        const filter = readFilter(query, entities);
        const readPage = async () => {
          const rows = await listEvents(sql, caller.tenantId, filter, limit, after);
          return toPage(rows, limit, (event) => event.id, summary);
        };
        return Response.json(await caller.permissions.readable("Webhooks:Read", "WebhookEvent", readPage));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        requireScopes(caller, "Webhooks:Read");
        const event = isUuid(params.id) ? await findEvent(sql, caller.tenantId, params.id) : undefined;
        if (!event) throw new NotFound("There is no WebhookEvent with this EventId.");
        const record = summary(event);
        caller.permissions.require("Webhooks:Read", "WebhookEvent", record);
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
        return Response.json(summary(await redeliverEvent(sql, caller, params.id, connectionId)));
      },
      { parse: "none" },
    );
}

/** Why a delivery is Held, by the state of its connection. */
const WHY_HELD = {
  Paused: "connection paused",
  Held: "connection held",
  Active: "what the connection has missed before is sent first",
};

/** In words, or null if somebody got it or will. */
function reasonNobodyGotIt({ eventRecord, eventType, deliveries }: LoggedEvent): string | null {
  if (deliveries.length === 0) return `no connection for ${eventRecord} ${eventType}`;
  if (deliveries.some(({ state }) => state !== "Held")) return null;
  const words = deliveries.map(({ connectionState }) => WHY_HELD[connectionState]);
  return [...new Set(words)].toSorted().join(", ");
}

function toAttemptRecord(attempt: LoggedAttempt) {
  return {
    Number: attempt.number,
    Run: attempt.run,
    StartedOn: attempt.startedOn.toISOString(),
    DurationMs: attempt.durationMs,
    StatusCode: attempt.statusCode,
    Failure: attempt.failure,
    Response: { Headers: attempt.responseHeaders ?? "", Body: attempt.responseBody ?? "" },
  };
}

function readFilter(query: Query, entities: string[]): EventFilter {
  return {
    eventRecord: readWord(query, "EventRecord", [...entities, PING_RECORD]),
    eventType: readWord(query, "EventType", LOGGED_EVENT_TYPES),
    state: readWord(query, "State", DELIVERY_STATES),
    connectionId: readConnectionId(query),
    from: readMoment(query, "From"),
    to: readMoment(query, "To"),
  };
}
