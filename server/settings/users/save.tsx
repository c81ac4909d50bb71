// Adding a User, and changing one.

import { type FormState, formOf, refusedForm } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { addRecord, changeRecord, readRecord, requireTexts } from "../records/records.ts";
import { choiceOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { FIELDS, UserForm, userBody } from "./fields.tsx";
import { type Person, pathOf, titleOf, USERS } from "./person.ts";

/** What people know them by, and what they sign in with. */
const NEEDED = ["Name", "Username"] as const;
const ABOVE = [{ name: "Users", path: USERS }];

export async function addPage({ records }: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const department = await choiceOf(records.of("Department"), visit, undefined);
  return {
    title: "Add user",
    above: ABOVE,
    status: refused ? 422 : 200,
    body: (
      <UserForm
        visit={visit}
        state={refused ?? formOf({ Is_Active: "true" })}
        department={department}
        action={`${USERS}/add`}
        back={USERS}
        label="Add user"
        needed={NEEDED}
      />
    ),
  };
}

export async function addUser(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    requireTexts(visit.form, NEEDED);
    const body = { ...userBody(visit.form), Is_Active: visit.form.get("Is_Active") === "true" };
    const made = (await addRecord(deps.records.of("User"), visit, body)) as unknown as Person;
    return visit.goTo(pathOf(made), "The user is added. A password link lets them set a password and sign in.");
  } catch (error) {
    return addPage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

export async function changePage({ records }: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { record: person, version } = await readRecord<Person>(records.of("User"), visit);
  const department = await choiceOf(records.of("Department"), visit, person.Department);
  const { Name, Username, Email, MobilePhone, External_Id } = person;
  const before = { Name, Username, Email, MobilePhone, External_Id };
  return {
    title: "Change user",
    above: [...ABOVE, { name: titleOf(person), path: pathOf(person) }],
    status: refused ? 422 : 200,
    body: (
      <UserForm
        visit={visit}
        state={refused ?? formOf({ ...before, Department: department.now })}
        department={department}
        action={`${pathOf(person)}/change`}
        back={pathOf(person)}
        label="Save"
        needed={neededOf(person)}
        version={version}
      />
    ),
  };
}

export async function changeUser(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const users = deps.records.of("User");
  try {
    requireTexts(visit.form, neededOf((await readRecord<Person>(users, visit)).record));
    await changeRecord(users, visit, userBody(visit.form));
    return visit.goTo(`${USERS}/${visit.params.id}`, "The user is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

/** The API and a provider may make a User without; who has it keeps it. */
function neededOf(person: Person): (typeof NEEDED)[number][] {
  return NEEDED.filter((name) => person[name] !== "");
}
