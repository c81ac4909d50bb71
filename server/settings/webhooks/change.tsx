import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import { readConnection, upsertConnection } from "../../webhooks/index.ts";
import { bodyOf, type FormState, formOfRecord, refusedForm } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { ConnectionForm, FIELDS, WRITE } from "./fields.tsx";
import { titleOf } from "./title.ts";

export async function changePage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { sql, masterKey, connection } = deps;
  const { record, version } = await readConnection(sql, masterKey, visit.caller, visit.params.id!);
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
        contract={connection}
        state={refused ?? formOfRecord(connection, FIELDS, record)}
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
  const { sql, masterKey, connection } = deps;
  const { form, params } = visit;
  try {
    const body = { ...bodyOf(connection, FIELDS, form), Id: params.id };
    const input = connection.parse(body);
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const { record } = await upsertConnection(sql, masterKey, visit.permitted(...WRITE), input, unchanged, body);
    return visit.goTo(`/settings/webhooks/${record.Id}`, "The connection is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(form, error, FIELDS));
  }
}
