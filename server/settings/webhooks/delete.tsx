import { UNCONDITIONAL } from "../../http/conditions.ts";
import { readConnection, removeConnection } from "../../webhooks/index.ts";
import { confirmation, phrase } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { readHealth } from "./health.tsx";
import { addressOf, titleOf } from "./title.ts";

export async function deletePage({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<View> {
  const { caller, params } = visit;
  const { record } = await readConnection(sql, masterKey, caller, params.id!);
  caller.permissions.require("Webhooks:Delete", "WebhookConnection", record);
  const [health] = await readHealth(sql, caller, [record.Id]);
  const path = `/settings/webhooks/${record.Id}`;
  return confirmation({
    visit,
    title: "Delete this connection?",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOf(record), path },
    ],
    effects: [
      phrase`${addressOf(record.URL)} gets no more events.`,
      whatWaits(health && health.open + health.held),
      "Its secret and its ApiKey are gone. A new connection has new ones.",
      "What it got stays in the activity log.",
    ],
    label: "Delete connection",
    action: `${path}/delete`,
    back: path,
  });
}

export async function deleteTheConnection({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { record } = await removeConnection(
    sql,
    masterKey,
    visit.permitted("Webhooks:Delete"),
    visit.params.id!,
    UNCONDITIONAL,
  );
  // Who may not read it is told its Id alone.
  const receiver = record.URL === undefined ? record.Id : addressOf(record.URL);
  return visit.goTo("/settings/webhooks", phrase`The connection to ${receiver} is deleted.`);
}

/** @param waiting undefined: the visitor may not be told */
function whatWaits(waiting: number | undefined): string {
  if (waiting === 0) return "Nothing waits for it now.";
  const many = waiting === undefined ? "Deliveries" : waiting.toLocaleString("en");
  const kind = waiting === 1 ? " delivery that waits" : waiting === undefined ? " that wait" : " deliveries that wait";
  return `${many}${kind} for it will be Cancelled.`;
}
