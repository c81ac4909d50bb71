import { Conflict } from "../../errors.ts";
import { REDELIVER, redeliverEvent } from "../../webhooks/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { type DeliveryRecord, isOver } from "./delivery.tsx";
import { eventPage } from "./event.tsx";

const AT_ONCE = "It is sent again. What comes of it stands below.";
const LATER = "It waits for its connection, and is sent again once that is active.";
const TO_SOME = "It is sent again to those that can get it, and to no deleted or Held connection.";

/** To the connection that the form names, or to all. */
export async function redeliver(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { params, form } = visit;
  const { ConnectionId: connectionId } = REDELIVER.parse({ ConnectionId: form.get("ConnectionId") });
  try {
    const caller = visit.permitted("Webhooks:Update");
    const { Deliveries } = await redeliverEvent(deps.sql, caller, params.id!, deps.workflowUrl, connectionId);
    const asked = (Deliveries ?? []).filter((one) => connectionId === undefined || one.ConnectionId === connectionId);
    return visit.goTo(`/settings/activity/${params.id}`, whatComesOf(asked));
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return { ...(await eventPage(deps, visit, error.errors)), status: error.status };
  }
}

function whatComesOf(asked: DeliveryRecord[]): string {
  if (asked.some(isOver)) return TO_SOME;
  return asked.length > 0 && asked.every(({ State }) => State === "Held") ? LATER : AT_ONCE;
}
