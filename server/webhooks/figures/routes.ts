import { wordFilter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../../records/index.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "../connections/routes.ts";
import type { ConnectionFigures } from "./service.ts";
import { EXAMPLE_STATISTICS, SPAN_NAMES, STATISTICS } from "./statistics.ts";
import { EXAMPLE_STATUS, STATUS } from "./status.ts";

export function figureRoutes(figures: ConnectionFigures): Route[] {
  const shared = { method: "GET", tag: CONNECTION_TAG, params: CONNECTION_ID } as const;
  return [
    route({
      ...shared,
      path: "/WebhookConnection/{Id}/Status",
      id: "getWebhookConnectionStatus",
      summary: "Read the current status of a webhook connection",
      description: "Waiting deliveries, the concurrency windows, and the time of the next probe.",
      scopes: ["Webhooks:Read"],
      answer: { description: "The status.", schema: STATUS, example: EXAMPLE_STATUS },
      handle: (caller, { params: { Id } }) => figures.status(caller, Id),
    }),
    route({
      ...shared,
      path: "/WebhookConnection/{Id}/Statistics",
      id: "getWebhookConnectionStatistics",
      summary: "Read the statistics of a webhook connection",
      description: "Outcomes and response times of the last 24 hours by hour, or of the last 7 days by 6 hours.",
      scopes: ["Webhooks:Read"],
      filters: { Last: wordFilter(SPAN_NAMES, "The period up to now; default 24h.") },
      answer: { description: "The statistics by slice.", schema: STATISTICS, example: EXAMPLE_STATISTICS },
      errors: ["ServiceBusy"],
      handle: (caller, { params: { Id }, filters: { Last = "24h" } }) => figures.statistics(caller, Id, Last),
    }),
  ];
}
