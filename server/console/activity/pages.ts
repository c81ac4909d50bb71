import type { ConsolePage, ConsoleServices } from "../page.tsx";
import { eventPage, redeliver, redeliverPage } from "./event.tsx";
import { listPage } from "./list.tsx";
import { payloadFile } from "./payload.tsx";

export function activityPages(deps: ConsoleServices): ConsolePage[] {
  const path = "/settings/activity";
  const read = ["Webhooks:Read"] as const;
  return [
    { path, area: "Activity", GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${path}/:id`,
      shows: "WebhookEvent",
      GET: { needs: read, answer: (visit) => eventPage(deps, visit) },
      POST: { needs: ["Webhooks:Update"], answer: (visit) => redeliver(deps, visit) },
    },
    redeliverPage(deps),
    { path: `${path}/:id/payload.json`, GET: { needs: read, answer: (visit) => payloadFile(deps, visit) } },
  ];
}
