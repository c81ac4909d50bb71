// Adding a role, changing and deleting one.

import { ROLE, type Roles } from "../../access/index.ts";
import { Conflict } from "../../errors.ts";
import { type Conditions, etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import {
  bodyOf,
  ContractForm,
  type FormState,
  formFields,
  formOf,
  formOfRecord,
  phrase,
  refusedForm,
} from "../../ui/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { pathOf, ROLES } from "./list.tsx";

const FIELDS = formFields(ROLE);
const ABOVE = [{ name: "Roles", path: ROLES }];

export async function addPage(visit: Visit, refused?: FormState): Promise<View> {
  return {
    title: "Add role",
    above: ABOVE,
    status: refused ? 422 : 200,
    body: (
      <ContractForm
        visit={visit}
        contract={ROLE}
        names={FIELDS}
        state={refused ?? formOf()}
        action={`${ROLES}/add`}
        back={ROLES}
        label="Add role"
      />
    ),
  };
}

export async function addRole({ roles }: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    // A role of the same Name would be changed.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const made = await save(roles, visit, bodyOf(ROLE, FIELDS, visit.form), isNew).catch(asTakenName);
    return visit.goTo(pathOf(made), "The role is added. Now it needs members, and policies that speak of it.");
  } catch (error) {
    return addPage(visit, refusedForm(visit.form, error, FIELDS));
  }
}

export async function changePage({ roles }: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { record: role, version } = await roles.read(visit.permitted("Settings:Read"), visit.params.id!);
  return {
    title: "Change role",
    above: [...ABOVE, { name: role.Name, path: pathOf(role) }],
    status: refused ? 422 : 200,
    body: (
      <ContractForm
        visit={visit}
        contract={ROLE}
        names={FIELDS}
        state={refused ?? formOfRecord(ROLE, FIELDS, role)}
        label="Save"
        action={`${pathOf(role)}/change`}
        back={pathOf(role)}
        version={etagOf(version)}
      />
    ),
  };
}

export async function changeRole(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  try {
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const saved = await save(deps.roles, visit, { ...bodyOf(ROLE, FIELDS, form), Id: params.id }, unchanged);
    return visit.goTo(pathOf(saved), "The role is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(form, error, FIELDS));
  }
}

export async function deletePage({ roles }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: role } = await roles.read(visit.permitted("Settings:Read"), visit.params.id!);
  visit.caller.permissions.require("Settings:Update", "Role", role);
  const members = role.Members.length;
  return confirmation({
    visit,
    title: "Delete this role?",
    above: [...ABOVE, { name: role.Name, path: pathOf(role) }],
    effects: [
      members === 1 ? "Its one member loses it." : `Its ${members.toLocaleString("en")} members lose it.`,
      phrase`Policies that speak of Role::"${role.Name}" stay as they are, and mean nobody.`,
      "Users lose the scopes that only this role gives.",
    ],
    label: "Delete role",
    action: `${pathOf(role)}/delete`,
    back: pathOf(role),
  });
}

export async function deleteRole({ roles }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { record } = await roles.remove(visit.permitted("Settings:Update"), visit.params.id!, UNCONDITIONAL);
  // Who may not read it is told its Id alone.
  return visit.goTo(ROLES, phrase`The role ${record.Name ?? record.Id} is deleted.`);
}

async function save(roles: Roles, visit: Visit, body: object, conditions: Conditions) {
  return (await roles.save(visit.permitted("Settings:Update"), ROLE.parse(body), conditions, body)).record;
}

function asTakenName(error: unknown): never {
  if ((error as { status?: number }).status === 412) throw new Conflict("Name is held by another role.");
  throw error;
}
