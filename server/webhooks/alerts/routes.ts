import { uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { logRoutes, route } from "../../records/index.ts";
import { ACKNOWLEDGEMENT, ALERT } from "./contract.ts";
import type { Alerts } from "./service.ts";

export function alertRoutes(alerts: Alerts): Route[] {
  return [
    ...logRoutes(ALERT, alerts, {
      list: { summary: "List alerts", description: "Newest first." },
      read: { summary: "Read an alert" },
    }),
    route({
      tag: { name: ALERT.name, description: ALERT.texts.group },
      answer: { description: "The alert.", schema: ALERT.record, example: ALERT.example },
      params: { Id: uuidParameter("The alert's Id.", ALERT.name) },
      method: "POST",
      path: "/Alert/{Id}/Acknowledge",
      id: "acknowledgeAlert",
      summary: "Acknowledge an alert",
      description: "Settings hide it until it ends, or until the given time. 409 after it has ended.",
      scopes: ["Webhooks:Update"],
      body: {
        ...ACKNOWLEDGEMENT,
        description: "The end of the acknowledgement.",
        examples: { once: {}, until: { Until: "2126-01-31T16:00:00Z" } },
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) => alerts.acknowledge(caller, Id, input.Until ?? null),
    }),
  ];
}
