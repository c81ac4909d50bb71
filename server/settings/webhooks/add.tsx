// SPEC.md "Configuration": Settings, Webhooks, Add Webhook Connection.

import { Conflict } from "../../errors.ts";
import { UNCONDITIONAL } from "../../http/conditions.ts";
import { EVENT_TYPES, parseConnection, upsertConnection } from "../../webhooks/index.ts";
import { type FormState, formOf, refusedForm } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { ConnectionForm, connectionBody, FIELDS } from "./fields.tsx";

const PATH = "/settings/webhooks/add";
const BACK = "/settings/webhooks";

/** Whether to offer it; asked of a connection that says nothing yet. */
export function mayAddConnection(visit: Visit): boolean {
  const blank = { Id: "", Name: "", URL: "", Entities: [], Events: [], State: "Active" };
  return visit.may("Webhooks:Update") && visit.may("Webhooks:Create", "WebhookConnection", blank);
}

export function addPage(deps: SettingsDependencies, visit: Visit, state?: FormState): View {
  return {
    title: "Add Webhook Connection",
    above: [{ name: "Webhooks", path: BACK }],
    status: state ? 422 : 200,
    body: (
      <ConnectionForm
        visit={visit}
        state={state ?? formOf({ Events: EVENT_TYPES })}
        entities={deps.entities}
        action={PATH}
        back={BACK}
        label="Add connection"
      />
    ),
  };
}

export async function addConnection(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { sql, masterKey, entities, checkUrl } = deps;
  try {
    const input = parseConnection(connectionBody(visit.form), entities, checkUrl);
    // An upsert by Name would change the connection that has it.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const { id } = await upsertConnection(sql, masterKey, visit.caller, input, isNew).catch(asTakenName);
    return visit.goTo(`${BACK}/${id}`, "The connection is added. The next change is sent to it.");
  } catch (error) {
    return addPage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

function asTakenName(error: unknown): never {
  if ((error as { status?: number }).status === 412) throw new Conflict("Name is held by another connection.");
  throw error;
}
