// docs/behaviour.md "Connections": Settings, Webhooks, Add Webhook Connection.

import { Conflict } from "../../errors.ts";
import { UNCONDITIONAL } from "../../http/conditions.ts";
import { EVENT_TYPES, upsertConnection } from "../../webhooks/index.ts";
import { ButtonLink, bodyOf, Code, type FormState, formOf, refusedForm } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { ConnectionForm, FIELDS, WRITE } from "./fields.tsx";
import { titleOf } from "./title.ts";

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
        contract={deps.connection}
        action={PATH}
        back={BACK}
        label="Add connection"
      />
    ),
  };
}

/** An ApiKey that is made here is shown this once. */
export async function addConnection(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { sql, masterKey, connection } = deps;
  try {
    const body = bodyOf(connection, FIELDS, visit.form);
    const input = connection.parse(body);
    // An upsert by Name would change the connection that has it.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const { record } = await upsertConnection(sql, masterKey, visit.permitted(...WRITE), input, isNew, body).catch(
      asTakenName,
    );
    const path = `${BACK}/${record.Id}`;
    const address = String(body.URL);
    const isGenerated = input.ApiKey === undefined && !new URL(address).searchParams.get("ApiKey");
    // No redirect: what is shown once has to be in the answer. Who may not read the connection does not see it.
    if (isGenerated && record.ApiKey)
      return apiKeyPage(visit, path, titleOf({ Name: String(body.Name), URL: address }), String(record.ApiKey));
    return visit.goTo(path, "The connection is added. The next change is sent to it.");
  } catch (error) {
    return addPage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

function apiKeyPage(visit: Visit, path: string, title: string, apiKey: string): View {
  return {
    title: "ApiKey",
    above: [
      { name: "Webhooks", path: BACK },
      { name: title, path },
    ],
    body: (
      <div class="panel narrow stack">
        <p class="told" role="status">
          The connection is added. The next change is sent to it.
        </p>
        <p>
          Each call has this ApiKey in its query. Give it to the receiver, if it is to know by it who calls. It is not
          shown again.
        </p>
        <p class="secret">
          <Code text={apiKey} copy />
        </p>
        <div class="buttons">
          <ButtonLink href={visit.href(path)} kind="main">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}

function asTakenName(error: unknown): never {
  if ((error as { status?: number }).status === 412) throw new Conflict("Name is held by another connection.");
  throw error;
}
