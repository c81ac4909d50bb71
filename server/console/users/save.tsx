// Adding a User, changing and deleting one.

import type { EntityRecord } from "../../entities/index.ts";
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
import {
  addRecord,
  changeRecord,
  deleteRecord,
  readRecord,
  requireTexts,
  saveRecord,
  textsOf,
} from "../records/records.tsx";
import { type Choice, choiceOf, ReferenceField, referenceOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { type Person, pathOf, titleOf, USERS } from "./list.tsx";
import { aboveOf } from "./sign-in.tsx";

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

export async function deletePage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  visit.caller.permissions.require("AccessManager:Delete", "User", { ...person });
  return confirmation({
    visit,
    title: "Delete this user?",
    above: aboveOf(person),
    effects: [
      phrase`${titleOf(person)} can no longer sign in, and is signed out everywhere.`,
      "The password, the second factor, roles and what applications were allowed go with the user.",
      "Webhook connections that listen to User get its last state.",
      "What the user did stays in the audit log, under its Id.",
    ],
    label: "Delete user",
    action: `${pathOf(person)}/delete`,
    back: pathOf(person),
  });
}

export async function deleteUser({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const gone = (await deleteRecord(records.of("User"), visit)) as unknown as Person;
  return visit.goTo(USERS, phrase`${titleOf(gone)} is deleted.`);
}

/** Active or not, by one button. */
export async function setState({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const Is_Active = visit.form.get("Is_Active") === "true";
  await saveRecord(records.of("User"), visit, { Id: visit.params.id, Is_Active });
  const told = Is_Active ? "The user is active and can sign in." : "The user is not active any more and is signed out.";
  return visit.goTo(`${USERS}/${visit.params.id}`, told);
}

// The form of a User.

const TEXTS = ["Name", "Username", "Email", "MobilePhone", "External_Id"];
const FIELDS = [...TEXTS, "Department", "Is_Active"];

function userBody(form: URLSearchParams): EntityRecord {
  return { ...textsOf(form, TEXTS), ...referenceOf(form, "Department") };
}

export interface UserFormProps {
  visit: Visit;
  state: FormState;
  department: Choice;
  action: string;
  back: string;
  label: string;
  /** Fields that cannot be left empty. */
  needed: readonly string[];
  /** A User who is there already: the record's entity tag. */
  version?: string;
}

function UserForm(props: UserFormProps): JSX.Element {
  const { visit, state, department, action, back, label, needed, version } = props;
  const field = { state, required: false };
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField state={state} name="Name" label="Full name" required={needed.includes("Name")} />
        <TextField
          state={state}
          name="Username"
          label="User name"
          hint="What the person signs in with."
          required={needed.includes("Username")}
        />
        <TextField {...field} name="Email" label="E-mail" type="email" />
        <TextField {...field} name="MobilePhone" label="Mobile phone" />
        <TextField
          {...field}
          name="External_Id"
          label="External Id"
          hint="What another system knows the person by; nobody else may have it."
        />
        <ReferenceField state={state} name="Department" label="Department" choice={department} />
        {/* Deactivating ends all sign-ins, so it has a button of its own, which asks. */}
        {version === undefined ? (
          <Checkbox state={state} name="Is_Active" label="Active" hint="Who is not active cannot sign in." />
        ) : (
          ""
        )}
        <div class="buttons">
          <button type="submit" class="main" safe>
            {label}
          </button>
          <ButtonLink href={visit.href(back)}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}
