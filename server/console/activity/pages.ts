import { type ConsolePage, type ConsoleServices, handlersOf } from "../page.tsx";
import { eventPage, redeliver, redeliverPage } from "./event.tsx";
import { listPage } from "./list.tsx";
import { payloadFile } from "./payload.tsx";

export function activityPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  const path = "/settings/activity";
  const read = ["Webhooks:Read"] as const;
  return [
    { path, area: "Activity", GET: on(read, listPage) },
    { path: `${path}/:id`, shows: "WebhookEvent", GET: on(read, eventPage), POST: on(["Webhooks:Update"], redeliver) },
    redeliverPage(deps),
    { path: `${path}/:id/payload.json`, GET: on(read, payloadFile) },
  ];
}
