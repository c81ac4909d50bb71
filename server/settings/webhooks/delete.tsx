import { UNCONDITIONAL } from "../../http/conditions.ts";
import { readConnection, removeConnection, toConnectionRecord } from "../../webhooks/index.ts";
import { confirmation, phrase } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { listHealth } from "./store.ts";
import { addressOf, titleOf } from "./title.ts";

export async function deletePage({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<View> {
  const { caller, params } = visit;
  const connection = await readConnection(sql, masterKey, caller, params.id!);
  const record = toConnectionRecord(masterKey, connection);
  caller.permissions.require("Webhooks:Delete", "WebhookConnection", record);
  const [health] = await listHealth(sql, caller.tenantId, [record.Id]);
  const waiting = health!.open + health!.held;
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
      waiting === 0
        ? "Nothing waits for it now."
        : `${waiting.toLocaleString("en")} ${waiting === 1 ? "delivery that waits" : "deliveries that wait"} for it will be Cancelled.`,
      "Its secret and its ApiKey are gone. A new connection has new ones.",
      "What it got stays in the activity log.",
    ],
    label: "Delete connection",
    action: `${path}/delete`,
    back: path,
  });
}

export async function deleteTheConnection({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { url } = await removeConnection(sql, masterKey, visit.caller, visit.params.id!, UNCONDITIONAL);
  return visit.goTo("/settings/webhooks", phrase`The connection to ${addressOf(url)} is deleted.`);
}
