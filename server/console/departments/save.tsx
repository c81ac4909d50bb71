// Adding a department, changing and deleting one.

import {
  ButtonLink,
  Checkbox,
  Form,
  type FormState,
  formOf,
  Hidden,
  phrase,
  refusedForm,
  TextField,
} from "../../ui/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import { addRecord, changeRecord, deleteRecord, readRecord, requireTexts, textsOf } from "../records/records.tsx";
import { type Choice, choiceOf, ReferenceField, referenceOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { DEPARTMENTS, type Department, pathOf, titleOf } from "./list.tsx";

const TEXTS = ["Name", "ExternalId", "Description"];
/** What people know it by. */
const NEEDED = ["Name"];
const FIELDS = [...TEXTS, "ParentId", "Is_Active"];
const ABOVE = [{ name: "Departments", path: DEPARTMENTS }];

export async function addPage({ records }: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const parent = await choiceOf(records.of("Department"), visit, undefined);
  const state = refused ?? formOf({ Is_Active: "true" });
  return {
    title: "Add department",
    above: ABOVE,
    status: refused ? 422 : 200,
    body: <Fields visit={visit} state={state} parent={parent} action={`${DEPARTMENTS}/add`} back={DEPARTMENTS} />,
  };
}

export async function addDepartment(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    requireTexts(visit.form, NEEDED);
    const made = await addRecord(deps.records.of("Department"), visit, bodyOf(visit.form));
    return visit.goTo(pathOf(made as unknown as Department), "The department is added.");
  } catch (error) {
    return addPage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

export async function changePage({ records }: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { record: department, version } = await readRecord<Department>(records.of("Department"), visit);
  const parent = await choiceOf(records.of("Department"), visit, department.ParentId);
  const { Name, ExternalId, Description, Is_Active } = department;
  const before = { Name, ExternalId, Description, Is_Active: String(Is_Active), ParentId: parent.now };
  const path = pathOf(department);
  return {
    title: "Change department",
    above: [...ABOVE, { name: titleOf(department), path }],
    status: refused ? 422 : 200,
    body: (
      <Fields
        visit={visit}
        state={refused ?? formOf(before)}
        parent={parent}
        action={`${path}/change`}
        back={path}
        version={version}
      />
    ),
  };
}

export async function changeDepartment(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    requireTexts(visit.form, NEEDED);
    await changeRecord(deps.records.of("Department"), visit, bodyOf(visit.form));
    return visit.goTo(`${DEPARTMENTS}/${visit.params.id}`, "The department is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

export async function deletePage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: department } = await readRecord<Department>(records.of("Department"), visit);
  visit.caller.permissions.require("AccessManager:Delete", "Department", { ...department });
  const path = pathOf(department);
  return confirmation({
    visit,
    title: "Delete this department?",
    above: [...ABOVE, { name: titleOf(department), path }],
    effects: [
      phrase`${titleOf(department)} is gone.`,
      "While users or other departments belong to it, it cannot be deleted: first give them another one.",
      "Webhook connections that listen to Department get its last state.",
    ],
    label: "Delete department",
    action: `${path}/delete`,
    back: path,
  });
}

export async function deleteDepartment({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const gone = (await deleteRecord(records.of("Department"), visit)) as unknown as Department;
  return visit.goTo(DEPARTMENTS, phrase`${titleOf(gone)} is deleted.`);
}

function bodyOf(form: URLSearchParams) {
  return { ...textsOf(form, TEXTS), ...referenceOf(form, "ParentId"), Is_Active: form.get("Is_Active") === "true" };
}

interface FieldsProps {
  visit: Visit;
  state: FormState;
  parent: Choice;
  action: string;
  back: string;
  /** A department that is there already: the record's entity tag. */
  version?: string;
}

function Fields({ visit, state, parent, action, back, version }: FieldsProps): JSX.Element {
  const field = { state, required: false };
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField state={state} name="Name" label="Name" hint="No other department may have it." required />
        <TextField
          {...field}
          name="ExternalId"
          label="External Id"
          hint="What another system knows it by; no other department may have it."
        />
        <ReferenceField state={state} name="ParentId" label="Part of" choice={parent} />
        <TextField {...field} name="Description" label="Description" rows={4} />
        <Checkbox state={state} name="Is_Active" label="Active" hint="Whether the department is in use." />
        <div class="buttons">
          <button type="submit" class="main">
            {version === undefined ? "Add department" : "Save"}
          </button>
          <ButtonLink href={visit.href(back)}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}
