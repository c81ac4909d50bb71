import { Conflict } from "../../errors.ts";
import { parseRedeliver, redeliverEvent } from "../../webhooks/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { eventPage } from "./event.tsx";

/** To the connection that the form names, or to all. */
export async function redeliver(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { caller, params, form } = visit;
  const connectionId = parseRedeliver({ ConnectionId: form.get("ConnectionId") });
  try {
    const { id } = await redeliverEvent(deps.sql, caller, params.id!, connectionId);
    return visit.goTo(`/settings/activity/${id}`, "It is sent again. What comes of it stands below.");
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return { ...(await eventPage(deps, visit, error.errors)), status: error.status };
  }
}
