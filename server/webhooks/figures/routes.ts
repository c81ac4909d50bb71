// WebhookConnection/{Id}/Status and WebhookConnection/{Id}/Statistics.

import { route } from "../../access/index.ts";
import { wordFilter } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
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
      summary: "Read how a webhook connection stands just now",
      description: "Waiting deliveries, the concurrency windows, and the time of the next probe.",
      scopes: ["Webhooks:Read"],
      answer: { description: "How it stands.", schema: STATUS, example: EXAMPLE_STATUS },
      handle: (caller, { params: { Id } }) => figures.status(caller, Id),
    }),
    route({
      ...shared,
      path: "/WebhookConnection/{Id}/Statistics",
      id: "getWebhookConnectionStatistics",
      summary: "Read how a webhook connection has fared",
      description: "Outcomes and answer times of the last 24 hours by the hour, or of the last 7 days by 6 hours.",
      scopes: ["Webhooks:Read"],
      filters: { Last: wordFilter(SPAN_NAMES, "The time until now; 24h unless given.") },
      answer: { description: "Slice by slice.", schema: STATISTICS, example: EXAMPLE_STATISTICS },
      errors: ["ServiceBusy"],
      handle: (caller, { params: { Id }, filters: { Last = "24h" } }) => figures.statistics(caller, Id, Last),
    }),
  ];
}
