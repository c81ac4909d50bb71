import { route } from "../access/index.ts";
import { uuidParameter, wordFilter } from "../http/query.ts";
import type { Route } from "../http/route.ts";
import { ACKNOWLEDGEMENT, ALERT, ALERT_STATES } from "./contract.ts";
import type { Alerts } from "./service.ts";

export function alertRoutes(alerts: Alerts): Route[] {
  const tag = { name: ALERT.name, description: ALERT.texts.group };
  const answer = { description: "The alert.", schema: ALERT.record, example: ALERT.example };
  const one = { tag, answer, params: { Id: uuidParameter("The alert's Id.", "Alert") } };
  return [
    route({
      method: "GET",
      path: "/Alert",
      id: "listAlert",
      tag,
      summary: "List alerts",
      description: "Newest first.",
      scopes: ["Webhooks:Read"],
      paged: true,
      filters: { State: wordFilter(ALERT_STATES, "In this state.") },
      answer: { ...answer, description: "A page of alerts.", list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => alerts.list(caller, filters.State, paging),
    }),
    route({
      ...one,
      method: "GET",
      path: "/Alert/{Id}",
      id: "getAlert",
      summary: "Read an alert",
      scopes: ["Webhooks:Read"],
      handle: (caller, { params: { Id } }) => alerts.read(caller, Id),
    }),
    route({
      ...one,
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
