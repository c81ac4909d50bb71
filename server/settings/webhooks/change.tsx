import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import { parseConnection, readConnection, upsertConnection } from "../../webhooks/index.ts";
import { type FormState, formOf, refusedForm } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { ConnectionForm, connectionBody, FIELDS, headerLines } from "./fields.tsx";
import { titleOf } from "./title.ts";

export async function changePage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { sql, masterKey, entities } = deps;
  const { record, version } = await readConnection(sql, masterKey, visit.caller, visit.params.id!);
  const { Name, Description, URL, Entities, Events } = record;
  const [Headers, TimeoutMs] = [headerLines(record.Headers), String(record.TimeoutMs ?? "")];
  const path = `/settings/webhooks/${record.Id}`;
  return {
    title: "Change connection",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOf(record), path },
    ],
    status: refused ? 422 : 200,
    body: (
      <ConnectionForm
        visit={visit}
        state={refused ?? formOf({ Name, Description, URL, Entities, Events, Headers, TimeoutMs })}
        entities={entities}
        action={`${path}/change`}
        back={path}
        label="Save"
        // Who is told that somebody else was faster goes on with what there is now.
        version={etagOf(version)}
      />
    ),
  };
}

export async function changeConnection(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { sql, masterKey, entities, checkUrl } = deps;
  const { form, params, caller } = visit;
  try {
    const body = { ...connectionBody(form), Id: params.id };
    const input = parseConnection(body, entities, checkUrl);
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const { record } = await upsertConnection(sql, masterKey, caller, input, unchanged, body);
    return visit.goTo(`/settings/webhooks/${record.Id}`, "The connection is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(form, error, FIELDS));
  }
}
