// Tries a policy before it is saved: the decision on one call, and the callers that the text affects.

import { BadInput, type Problem } from "../../platform/errors.ts";
import { limited } from "../../platform/http/body.ts";
import { etagOf } from "../../platform/http/conditions.ts";
import { firstPage, isUuid, toRecordId } from "../../platform/http/query.ts";
import { ACTIONS, EXCHANGE, policyTrials, QUESTION, SCOPE_ACTIONS } from "../../records/index.ts";
import {
  ButtonLink,
  Fields,
  Form,
  type FormState,
  formOf,
  Hidden,
  Hiddens,
  momentInUtc,
  type Question,
  refusedForm,
  Submit,
  sealedFields,
} from "../../ui/index.ts";
import { Changed, type ConsolePage, type ConsoleServices, type Handler, handlersOf, type View } from "../page.tsx";
import { listRecords, optionsOf } from "../records/records.tsx";
import { nameOf, type ReferenceChoice } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { changes, sampleIn } from "./compared.tsx";
import { Editor } from "./editor.tsx";
import { sampleOf } from "./sample.ts";
import { answerSection, type NamedPolicy, POLICIES } from "./trial-outcome.tsx";
import { idOf, NEEDS, parsed, triedOf } from "./tried.ts";

const TRY = `${POLICIES}/try`;
const CARRIED = ["Name", "Description", "version"];
const PRINCIPALS = [
  { value: "User", label: "A user" },
  { value: "Client", label: "An application" },
];
/** These and the record's type read as a sentence. */
const CALL = {
  PrincipalType: { label: "Called by", options: PRINCIPALS },
  Principal: { label: "Caller's name or Id" },
  Action: { label: "Action", options: optionsOf(ACTIONS) },
} as const;
const RECORD = {
  Resource: { label: "Record's name or Id", hint: "Empty for a new record.", required: false },
} as const;
const CHANGED = {
  Fields: {
    label: "Changed fields",
    hint: "One field per line, such as Is_System: true.",
    rows: 3,
    code: true,
    required: false,
  },
} as const;
const CIRCUMSTANCES = {
  Address: { label: "From the address", hint: "Empty: your address.", required: false },
  Time: { label: "At the time", type: "datetime-local", required: false },
  Audience: {
    label: "Audience of the token",
    hint: `For ${EXCHANGE} only: the Audience of the requested token's API.`,
    required: false,
  },
  Scopes: {
    label: "With the scopes",
    hint: "None selected: all that the caller can have.",
    options: optionsOf(SCOPE_ACTIONS),
    isSeveral: true,
  },
} as const;
const FIELDS = ["Policy", ...Object.keys({ ...CALL, ...RECORD, ...CHANGED, ...CIRCUMSTANCES })];
const START = { PrincipalType: "User", Action: "AccessManager:Read", ResourceType: "Application" };
const MAX_FOUND = 5;
/** The field name in a line such as `Is_System: true`. */
const LINE = /^\s*(\w+)\s*:(.*)$/s;

export function tryPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    { path: TRY, command: "Try a call against the policies", GET: on(NEEDS, openPage), POST: on(NEEDS, tryPolicy) },
  ];
}

export function TryButton({ visit }: { visit: Visit }): JSX.Element {
  const { id } = visit.params;
  return (
    <Submit label="Try it first" kind="plain" formaction={visit.href(id ? `${TRY}?Id=${id}` : TRY)} formnovalidate />
  );
}

async function openPage({ policies }: ConsoleServices, visit: Visit): Promise<View> {
  const id = idOf(visit);
  if (!id) return page({ policies }, visit, formOf(START));
  const { record, version } = await policies.read(visit.permitted("Settings:Read"), id);
  const { Name, Description, Policy } = record;
  return page({ policies }, visit, formOf({ ...START, Name, Description, Policy, version: etagOf(version) }));
}

/** @param pages the policy pages, which save what was compared */
export function comparedPages(deps: ConsoleServices, pages: readonly ConsolePage[]): ConsolePage[] {
  return ["add", ":id"].map((one) => {
    const path = `${POLICIES}/${one}`;
    const saving = pages.find((page) => page.path === path)!.POST!;
    const needs = [...NEEDS, ...saving.needs];
    return { path: `${path}/compared`, POST: { needs, answer: (visit) => saveCompared(deps, visit, saving) } };
  });
}

/** Saves the text if its effect is still what the page showed; otherwise shows the new effect. */
async function saveCompared(deps: ConsoleServices, visit: Visit, saving: Handler): Promise<View | Response> {
  if (visit.params.id) await deps.policies.read(visit.permitted("Settings:Read"), visit.params.id);
  const compared = sampleIn(deps, visit.form);
  const isSame = compared && visit.hasAsked((await changes(deps, visit, compared)).asked);
  if (isSame) return saving.answer(visit);
  visit.form.set("ask", "changes");
  const answer = await tryPolicy(deps, visit, true);
  return { ...answer, status: answer.status ?? 409 };
}

async function tryPolicy(deps: ConsoleServices, visit: Visit, isChanged = false): Promise<View> {
  const { form } = visit;
  const typed = formOf({
    ...START,
    ...Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)])),
  });
  const asks = form.get("ask");
  // The page was opened from the policy's form without a question yet.
  if (!asks) return page(deps, visit, typed);
  try {
    if (asks !== "changes") return page(deps, visit, typed, await evaluated(deps, visit));
    const { result, asked } = await changes(deps, visit, await sampleOf(deps, visit));
    return page(deps, visit, typed, result, { asked, isChanged });
  } catch (error) {
    const state = refusedForm(form, besideFields(error), FIELDS);
    return { ...(await page(deps, visit, state)), status: 422 };
  }
}

const SAY_SCOPES = "Scopes: you may not read the client's scopes. Choose the scopes of the call.";

/** The form has its own fields for the API's Resource and Context. */
function besideFields(error: unknown): unknown {
  if (error instanceof policyTrials.ScopesHidden) return BadInput.in([{ Field: "Scopes", Message: SAY_SCOPES }]);
  if (!(error instanceof BadInput) || error.problems.length === 0) return error;
  return BadInput.in(
    error.problems.map(({ Field, Message }) => ({
      Field: Field === "Context" ? "Address" : Message.startsWith("Resource.Fields") ? "Fields" : Field,
      Message,
    })),
  );
}

async function page(
  { policies }: Pick<ConsoleServices, "policies">,
  visit: Visit,
  state: FormState,
  result: JSX.Element = "",
  { asked, isChanged }: { asked?: Question; isChanged?: boolean } = {},
): Promise<View> {
  const [id, Name] = [idOf(visit), state.value("Name")];
  return {
    title: Name && id ? `Try ${Name}` : "Try a policy",
    above: [{ name: "Policies", path: POLICIES }],
    body: (
      <>
        {isChanged ? <Changed /> : ""}
        {result}
        <TryForm visit={visit} state={state} id={id} types={policies.recordTypes} asked={asked} />
      </>
    ),
  };
}

interface TryFormProps {
  visit: Visit;
  state: FormState;
  /** The policy's Id; "" for a new one. */
  id: string;
  types: readonly string[];
  asked: Question | undefined;
}

function TryForm({ visit, state, id, types, asked }: TryFormProps): JSX.Element {
  const saving = `${POLICIES}/${id || "add"}${asked ? "/compared" : ""}`;
  const mayBeSaved = state.value("Name") !== "" && visit.may("Settings:Update");
  const action = id ? `${TRY}?Id=${encodeURIComponent(id)}` : TRY;
  return (
    <div class="panel">
      <Form visit={visit} action={action} state={state}>
        {CARRIED.map((name) => (state.value(name) ? <Hidden name={name} value={state.value(name)} /> : ""))}
        <Editor
          visit={visit}
          state={state}
          problems={[]}
          hint="Not saved. Empty: the saved policies decide."
          optional
        />
        <div class="sentence">
          <Fields
            state={state}
            fields={{ ...CALL, ResourceType: { label: "On a record of", options: optionsOf(types) }, ...RECORD }}
          />
        </div>
        <Fields state={state} fields={CHANGED} />
        <details
          class="more"
          open={Object.keys(CIRCUMSTANCES).some((name) => state.value(name) || state.problem(name))}
        >
          <summary>
            Circumstances <small>Address · Time · Audience · Scopes</small>
          </summary>
          <div class="fields">
            <Fields state={state} fields={CIRCUMSTANCES} />
          </div>
        </details>
        <div class="buttons">
          <Submit label="Try this call" name="ask" value="call" formnovalidate />
          <Submit label="Who is affected?" kind="plain" name="ask" value="changes" formnovalidate />
          {mayBeSaved && (
            <>
              {asked ? <Hiddens fields={sealedFields(visit, saving, asked)} /> : ""}
              <Submit label="Save policy" kind="plain" formaction={visit.href(saving)} formnovalidate />
            </>
          )}
          <ButtonLink href={visit.href(id ? `${POLICIES}/${id}` : POLICIES)} label="Back" />
        </div>
      </Form>
    </div>
  );
}

async function evaluated(deps: ConsoleServices, visit: Visit): Promise<JSX.Element> {
  const { form } = visit;
  const [PrincipalType, ResourceType] = [form.get("PrincipalType") ?? "", form.get("ResourceType") ?? ""];
  const problems: Problem[] = [];
  const pick = (type: string, field: string) =>
    found(deps, visit, type, (form.get(field) ?? "").trim(), field).catch((error) => {
      if (!(error instanceof BadInput)) throw error;
      const own = error.problems.filter(({ Field }) => Field === field);
      problems.push(...(own.length > 0 ? own : [{ Field: field, Message: `${field}: ${error.message}` }]));
      return "";
    });
  const principal = await pick(PrincipalType === "Client" ? "Application" : "User", "Principal");
  const resource = form.get("Resource")?.trim() ? await pick(ResourceType, "Resource") : undefined;
  if (problems.length > 0) throw BadInput.in(problems);
  const fields = fieldsOf(deps, ResourceType, form.get("Fields") ?? "");
  const [address, time, scopes] = [form.get("Address")?.trim(), form.get("Time"), form.getAll("Scopes")];
  const question = QUESTION.parse({
    ...triedOf(visit),
    Principal: { Type: PrincipalType, Id: principal },
    Action: form.get("Action"),
    Resource: {
      Type: ResourceType,
      ...(resource ? { Id: resource } : {}),
      ...(resource && Object.keys(fields).length === 0 ? {} : { Fields: fields }),
    },
    Context: {
      ...(address ? { Address: address } : {}),
      ...(time ? { Time: momentInUtc(time) } : {}),
      ...(scopes.length > 0 ? { Scopes: scopes } : {}),
    },
  });
  const answer = await deps.policies.evaluate(visit.permitted(...NEEDS), question);
  const [caller, record] = [form.get("Principal")?.trim(), form.get("Resource")?.trim() || "(new)"];
  const may = answer.Decision === "Allow" ? "may" : "may not";
  const sentence = `${caller} ${may} do ${form.get("Action")} on ${ResourceType} ${record}.`;
  return answerSection(answer, sentence, await policyLinks(deps, visit, answer.DecidedBy));
}

/** The record's Id. @throws BadInput naming the possible matches */
async function found(deps: ConsoleServices, visit: Visit, type: string, text: string, field: string): Promise<string> {
  const wrong = (Message: string) => BadInput.in([{ Field: field, Message: `${field}: ${Message}` }]);
  if (text === "") throw wrong("enter a name or an Id.");
  if (toRecordId(text) !== undefined || isUuid(text)) return text;
  const service = deps.records.all.find(({ entity }) => entity.name === type);
  if (!service) return named(deps, visit, type, text, wrong);
  const asked = new URLSearchParams({ Search: text, Limit: String(MAX_FOUND) });
  const { Items, Next } = await listRecords<ReferenceChoice>(service, visit, asked);
  const [one] = Items;
  if (!one) throw wrong(`no ${type} has this name.`);
  if (Items.length === 1) return String(one.Id);
  const names = Items.map((item) => `${nameOf(type, item)} (${item.Id})`).join(", ");
  throw wrong(`several have this name: ${names}${Next ? ", and more" : ""}. Type the Id of one.`);
}

async function named(
  { policies, roles }: ConsoleServices,
  visit: Visit,
  type: string,
  name: string,
  wrong: (message: string) => BadInput,
): Promise<string> {
  const service = type === "Policy" ? policies : type === "Role" ? roles : undefined;
  if (!service) throw wrong("give its Id.");
  const { Items } = await service.list(visit.permitted("Settings:Read"), { Name: name }, firstPage(1));
  if (!Items[0]) throw wrong(`no ${type} has this full name.`);
  return Items[0].Id;
}

/** Parses lines of `Name: value` by the fields' types. @throws BadInput */
function fieldsOf({ policies }: ConsoleServices, type: string, text: string): Record<string, unknown> {
  const attributes = policies.types.get(type)?.attributes ?? [];
  return Object.fromEntries(
    limited("Fields", text)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [, name, value] = LINE.exec(line) ?? [];
        if (!name) {
          throw BadInput.in([{ Field: "Fields", Message: "Fields: write one field per line, as Name: value." }]);
        }
        const isText = attributes.find((one) => one.name === name)?.type === "text";
        return [name, isText ? value!.trim() : parsed(value!.trim())];
      }),
  );
}

async function policyLinks(deps: ConsoleServices, visit: Visit, names: readonly string[]): Promise<NamedPolicy[]> {
  return Promise.all(
    names.map(async (name) => {
      const { Items } = await deps.policies.list(visit.permitted("Settings:Read"), { Name: name }, firstPage(1));
      return { name, href: Items[0] && visit.href(`${POLICIES}/${Items[0].Id}`) };
    }),
  );
}
