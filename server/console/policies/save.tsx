// Writing a policy, and deleting one.

import { POLICY, POLICY_TEXT, type Policies, type PolicyRecord, type Problem } from "../../access/index.ts";
import { Conflict } from "../../errors.ts";
import { type Conditions, etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import {
  ButtonLink,
  bodyOf,
  ContractField,
  Form,
  type FormState,
  formFields,
  formOf,
  Hidden,
  phrase,
  refusedForm,
} from "../../ui/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { Editor, Vocabulary } from "./editor.tsx";
import { POLICIES, pathOf } from "./list.tsx";

const TEXTS = formFields(POLICY);
const FIELDS = [...TEXTS, "Policy"];
const ABOVE = [{ name: "Policies", path: POLICIES }];

/** To begin with; it permits no more than it says. */
const SAMPLE = `permit (
  principal in Role::"editor",
  action == Action::"AccessManager:Read",
  resource is Application
)
when { resource.Name like "Sales *" };
`;

/** A form that was refused, with the places in the text. */
interface Refused {
  state: FormState;
  problems: Problem[];
}

export async function addPage(visit: Visit, refused?: Refused): Promise<View> {
  const state = refused?.state ?? formOf({ Policy: SAMPLE });
  return {
    title: "Add policy",
    above: ABOVE,
    status: refused ? 422 : 200,
    body: <PolicyForm visit={visit} state={state} problems={refused?.problems ?? []} action={`${POLICIES}/add`} />,
  };
}

export async function addPolicy(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  try {
    // A policy of the same Name would be changed.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const made = await save(deps, visit, policyBody(visit.form), isNew).catch(asTakenName);
    return visit.goTo(pathOf(made), "The policy is saved. It counts from now on.");
  } catch (error) {
    return addPage(visit, await refusedPolicy(deps, visit, error));
  }
}

export async function policyPage({ policies }: SettingsDependencies, visit: Visit, refused?: Refused): Promise<View> {
  const { record: policy, version } = await policies.read(visit.permitted("Settings:Read"), visit.params.id!);
  const { Name, Description, Policy } = policy;
  const state = refused?.state ?? formOf({ Name, Description, Policy });
  const mayChange = visit.may("Settings:Update", "Policy", policy);
  return {
    title: Name,
    above: ABOVE,
    status: refused ? 422 : 200,
    actions: mayChange ? (
      <ButtonLink href={visit.href(`${pathOf(policy)}/delete`)} kind="danger">
        Delete
      </ButtonLink>
    ) : undefined,
    body: mayChange ? (
      <PolicyForm
        visit={visit}
        state={state}
        problems={refused?.problems ?? []}
        action={pathOf(policy)}
        version={etagOf(version)}
      />
    ) : (
      <Shown policy={policy} state={state} />
    ),
  };
}

export async function changePolicy(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  try {
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const saved = await save(deps, visit, { ...policyBody(form), Id: params.id }, unchanged);
    return visit.goTo(pathOf(saved), "The policy is saved. It counts from now on.");
  } catch (error) {
    return policyPage(deps, visit, await refusedPolicy(deps, visit, error));
  }
}

async function save({ policies }: SettingsDependencies, visit: Visit, body: object, conditions: Conditions) {
  const permitted = visit.permitted("Settings:Update");
  return (await policies.save(permitted, POLICY.parse(body), conditions, body)).record;
}

/** @throws what is no fault of what was typed */
async function refusedPolicy({ policies }: SettingsDependencies, visit: Visit, error: unknown): Promise<Refused> {
  const state = refusedForm(visit.form, error, FIELDS);
  return { state, problems: state.problem("Policy") === undefined ? [] : await placesIn(policies, visit) };
}

async function placesIn(policies: Policies, visit: Visit): Promise<Problem[]> {
  try {
    const { Policy } = POLICY_TEXT.parse({ Policy: policyBody(visit.form).Policy });
    return await policies.validate(visit.permitted("Settings:Update"), Policy!);
  } catch {
    // What is no text for Cedar at all, as one that is too long, has no places.
    return [];
  }
}

/** A browser sends line breaks as CR LF. */
function policyBody(form: URLSearchParams) {
  return { ...bodyOf(POLICY, TEXTS, form), Policy: (form.get("Policy") ?? "").replaceAll("\r\n", "\n") };
}

function asTakenName(error: unknown): never {
  if ((error as { status?: number }).status === 412) throw new Conflict("Name is held by another policy.");
  throw error;
}

interface PolicyFormProps {
  visit: Visit;
  state: FormState;
  problems: Problem[];
  action: string;
  /** A policy that is there already: the record's entity tag. */
  version?: string;
}

function PolicyForm({ visit, state, problems, action, version }: PolicyFormProps): JSX.Element {
  return (
    <>
      <div class="panel">
        <Form visit={visit} action={action} state={state}>
          {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
          {TEXTS.map((name) => (
            <ContractField contract={POLICY} name={name} state={state} isNew={version === undefined} />
          ))}
          <Editor state={state} problems={problems} />
          <div class="buttons">
            <button type="submit" class="main">
              Save policy
            </button>
            <ButtonLink href={visit.href(POLICIES)}>Cancel</ButtonLink>
          </div>
        </Form>
      </div>
      <Vocabulary />
    </>
  );
}

function Shown({ policy, state }: { policy: PolicyRecord; state: FormState }): JSX.Element {
  return (
    <div class="panel stack">
      <p safe>{policy.Description || "It has no description."}</p>
      <Editor state={state} problems={[]} readonly />
    </div>
  );
}

export async function deletePage({ policies }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: policy } = await policies.read(visit.permitted("Settings:Read"), visit.params.id!);
  visit.caller.permissions.require("Settings:Update", "Policy", policy);
  return confirmation({
    visit,
    title: "Delete this policy?",
    above: [
      { name: "Policies", path: POLICIES },
      { name: policy.Name, path: pathOf(policy) },
    ],
    effects: [
      phrase`What only "${policy.Name}" permits is refused from now on.`,
      "What only it forbids is allowed from now on, where another policy permits it.",
      "The text is not kept; copy it first if you may want it again.",
    ],
    label: "Delete policy",
    action: `${pathOf(policy)}/delete`,
    back: pathOf(policy),
  });
}

export async function deletePolicy({ policies }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { record } = await policies.remove(visit.permitted("Settings:Update"), visit.params.id!, UNCONDITIONAL);
  // Who may not read it is told its Id alone.
  return visit.goTo(POLICIES, phrase`The policy ${record.Name ?? record.Id} is deleted.`);
}
