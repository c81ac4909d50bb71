// Adding an application, changing and deleting one.

import type { EntityRecord } from "../../entities/index.ts";
import {
  ButtonLink,
  Checkbox,
  Form,
  type FormState,
  formOf,
  Hidden,
  type Option,
  phrase,
  refusedForm,
  SelectField,
  TextField,
} from "../../ui/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import { addRecord, changeRecord, deleteRecord, requireTexts, saveRecord, textsOf } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, aboveOf, pathOf, providersOf, readApplication, titleOf } from "./list.tsx";

const TEXTS = ["Name", "ApplicationKey", "ExternalId", "Description", "WebSiteURL"] as const;
/** What people know it by. */
const NEEDED = ["Name"];
const FLAGS = ["Is_EndUser", "Is_System"] as const;
const FIELDS = [...TEXTS, ...FLAGS, "Is_Active", "AuthenticationId"];

export async function addPage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  return {
    title: "Add application",
    above: [{ name: "Applications", path: APPLICATIONS }],
    status: refused ? 422 : 200,
    body: (
      <ApplicationForm
        visit={visit}
        state={refused ?? formOf({ Is_Active: "true" })}
        providers={await choicesOf(deps, visit, "")}
        action={`${APPLICATIONS}/add`}
        back={APPLICATIONS}
      />
    ),
  };
}

export async function addApplication(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    requireTexts(visit.form, NEEDED);
    const body = { ...bodyOf(visit.form, ""), Is_Active: visit.form.get("Is_Active") === "true" };
    const made = await addRecord(deps.records.of("Application"), visit, body);
    return visit.goTo(
      pathOf(made as unknown as Application),
      "The application is added. Give it grants, scopes and a secret, and it is an OAuth client.",
    );
  } catch (error) {
    return addPage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

export async function changePage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { record: application, version, provider } = await readApplication(deps, visit);
  const before = Object.fromEntries([...TEXTS, ...FLAGS].map((name) => [name, String(application[name])]));
  return {
    title: "Change application",
    above: aboveOf(application),
    status: refused ? 422 : 200,
    body: (
      <ApplicationForm
        visit={visit}
        state={refused ?? formOf({ ...before, AuthenticationId: provider })}
        providers={await choicesOf(deps, visit, provider)}
        action={`${pathOf(application)}/change`}
        back={pathOf(application)}
        version={version}
      />
    ),
  };
}

export async function changeApplication(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    requireTexts(visit.form, NEEDED);
    await changeRecord(deps.records.of("Application"), visit, bodyOf(visit.form, visit.form.get("provider-now") ?? ""));
    return visit.goTo(`${APPLICATIONS}/${visit.params.id}`, "The application is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

/** Active or not, by one button. */
export async function setState({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const Is_Active = visit.form.get("Is_Active") === "true";
  await saveRecord(records.of("Application"), visit, { Id: visit.params.id, Is_Active });
  const told = Is_Active
    ? "The application is active and gets tokens."
    : "The application is not active any more: it gets no tokens, and those it has are no longer good.";
  return visit.goTo(`${APPLICATIONS}/${visit.params.id}`, told);
}

export async function deletePage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: application } = await readApplication(deps, visit);
  visit.caller.permissions.require("AccessManager:Delete", "Application", { ...application });
  return confirmation({
    visit,
    title: "Delete this application?",
    above: aboveOf(application),
    effects: [
      phrase`${titleOf(application)} is gone, with its credentials and secrets.`,
      "The tokens it has are no longer good, and nobody can sign in to it any more.",
      "Webhook connections that listen to Application get its last state.",
      "What it did stays in the audit log, under its Id.",
    ],
    label: "Delete application",
    action: `${pathOf(application)}/delete`,
    back: pathOf(application),
  });
}

export async function deleteApplication({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const gone = (await deleteRecord(records.of("Application"), visit)) as unknown as Application;
  return visit.goTo(APPLICATIONS, phrase`${titleOf(gone)} is deleted.`);
}

/** An identity provider that stays as it was is not sent: who may not see it can still change the rest. */
function bodyOf(form: URLSearchParams, before: string): EntityRecord {
  const flags = FLAGS.map((name) => [name, form.get(name) === "true"]);
  const provider = form.get("AuthenticationId") ?? before;
  const AuthenticationId = provider === "" ? null : { FieldType: "Id", Value: provider };
  return {
    ...textsOf(form, TEXTS),
    ...Object.fromEntries(flags),
    ...(provider === before ? {} : { AuthenticationId }),
  };
}

/** @returns undefined if there is none to choose */
async function choicesOf(deps: SettingsDependencies, visit: Visit, current: string): Promise<Choices | undefined> {
  const providers = await providersOf(deps, visit);
  if (providers.length === 0) return undefined;
  const known = providers.map(({ Id, Name }) => ({ value: Id, label: Name }));
  const isKnown = current === "" || known.some(({ value }) => value === current);
  const unseen = isKnown ? [] : [{ value: current, label: `Identity provider ${current}` }];
  return { current, options: [{ value: "", label: "what the sign-in page offers" }, ...known, ...unseen] };
}

interface Choices {
  current: string;
  options: Option[];
}

interface ApplicationFormProps {
  visit: Visit;
  state: FormState;
  providers: Choices | undefined;
  action: string;
  back: string;
  /** An application that is there already: the record's entity tag. */
  version?: string;
}

function ApplicationForm({ visit, state, providers, action, back, version }: ApplicationFormProps): JSX.Element {
  const field = { state, required: false };
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField
          state={state}
          name="Name"
          label="Name"
          hint="Shown to people when they sign in to it; unique."
          required
        />
        <TextField {...field} name="ApplicationKey" label="Application key" hint="A short name for machines; unique." />
        <TextField {...field} name="ExternalId" label="External Id" hint="What another system knows it by; unique." />
        <TextField {...field} name="WebSiteURL" label="Web site" type="url" />
        <TextField {...field} name="Description" label="Description" rows={4} />
        {providers ? (
          <>
            <Hidden name="provider-now" value={providers.current} />
            <SelectField
              {...field}
              name="AuthenticationId"
              label="Users sign in with"
              hint="One identity provider can be made the only way in to this application."
              options={providers.options}
            />
          </>
        ) : (
          ""
        )}
        <Checkbox state={state} name="Is_EndUser" label="For end users" />
        <Checkbox state={state} name="Is_System" label="System application" />
        {/* Deactivating ends all its tokens, so it has a button of its own, which asks. */}
        {version === undefined ? (
          <Checkbox state={state} name="Is_Active" label="Active" hint="One that is not active gets no tokens." />
        ) : (
          ""
        )}
        <div class="buttons">
          <button type="submit" class="main">
            {version === undefined ? "Add application" : "Save"}
          </button>
          <ButtonLink href={visit.href(back)}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}
