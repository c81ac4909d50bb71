// Form fields from an API contract, and the conversion of their input to a body.

import type { Children } from "@kitajs/html";
import { ApiError, BadInput } from "../platform/errors.ts";
import { limited, printable, typedNumber } from "../platform/http/body.ts";
import type { Contract } from "../platform/http/contract.ts";
import { type Field, type Fields, kindOf } from "../platform/http/fields.ts";
import { isTooDeep, MAX_JSON_DEPTH } from "../platform/http/json.ts";
import { roundedNumber } from "../platform/http/numbers.ts";
import type { FieldProblem, FieldsByName, FormState } from "./form.tsx";
import { Checkbox, CheckboxGroup, Form, Hidden, type Option, SelectField, Submit, TextField } from "./form.tsx";
import { ButtonLink } from "./parts.tsx";
import type { PageVisit } from "./visit.ts";

type Shaped = Pick<Contract<Fields>, "field">;

export type Labels = Record<string, string>;

export function labelsOf({ field }: Shaped): Labels {
  return Object.fromEntries(Object.entries(field).flatMap(([name, { form }]) => (form ? [[name, form.label]] : [])));
}

export function formFields({ field }: Shaped): string[] {
  return Object.keys(field).filter((name) => field[name]!.form);
}

export interface FormPanelProps {
  visit: PageVisit;
  state: FormState;
  action: string;
  back: string;
  label: string;
  version?: string;
  wide?: boolean;
  beside?: JSX.Element;
  children?: Children;
}

export function FormPanel(props: FormPanelProps): JSX.Element {
  const { visit, state, action, back, label, version, wide, beside = "", children = "" } = props;
  return (
    <div class={wide ? "panel" : "panel narrow"}>
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        {children as "safe"}
        <div class="buttons">
          <Submit label={label} />
          {beside as "safe"}
          <ButtonLink href={visit.href(back)} label="Cancel" />
        </div>
      </Form>
    </div>
  );
}

export interface ContractFormProps extends FormPanelProps {
  contract: Shaped;
  /** The fields in display order; `children` are placed below them. */
  names: readonly string[];
  sections?: Sections;
  more?: MoreOptions;
}

/** Options that the contract does not list, by field name. */
export type MoreOptions = Readonly<Record<string, readonly Option[]>>;

export function ContractForm(props: ContractFormProps): JSX.Element {
  const { contract, names, sections, more, children = "", ...panel } = props;
  const isNew = panel.version === undefined;
  return (
    <FormPanel {...panel}>
      <ContractFields
        contract={contract}
        names={names}
        sections={sections}
        state={panel.state}
        isNew={isNew}
        more={more}
      />
      {children as "safe"}
    </FormPanel>
  );
}

/** Rarely used fields, by the heading of their collapsed section. */
export type Sections = Readonly<Record<string, readonly string[]>>;

export interface ContractFieldsProps extends Omit<ContractFieldProps, "name"> {
  names: readonly string[];
  sections?: Sections;
}

export function ContractFields({ names, sections, ...shared }: ContractFieldsProps): JSX.Element {
  return (
    <FieldsInSections
      {...shared}
      names={names}
      sections={sections}
      field={(name) => <ContractField {...shared} name={name} />}
    />
  );
}

interface FieldsInSectionsProps extends Pick<ContractFieldsProps, "contract" | "names" | "sections" | "state"> {
  field(name: string): JSX.Element;
}

export function FieldsInSections(props: FieldsInSectionsProps): JSX.Element {
  const { names, sections = {}, contract, state, field } = props;
  const folded = Object.values(sections).flat();
  return (
    <>
      {names.filter((name) => !folded.includes(name)).map(field)}
      {Object.entries(sections).map(([heading, some]) => (
        <details class="more" open={some.some((name) => isFilled(contract.field[name]!, name, state))}>
          <summary>
            <span safe>{heading}</span>{" "}
            <small safe>{some.map((name) => contract.field[name]!.form!.label).join(" · ")}</small>
          </summary>
          <div class="fields">{some.map(field)}</div>
        </details>
      ))}
    </>
  );
}

/** Whether a field has a non-default value or a problem. */
function isFilled(field: Field, name: string, state: FormState): boolean {
  const standard = kindOf(field).words[0] ?? "";
  return !["", "false", standard].includes(state.value(name)) || state.problem(name) !== undefined;
}

/** Names come from input and may match an inherited member, such as `constructor`. */
const own = <Value,>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

export interface ContractFieldProps {
  contract: Shaped;
  name: string;
  state: FormState;
  /** False for an existing record. */
  isNew: boolean;
  /** Set if the contract does not decide it. */
  required?: boolean;
  more?: MoreOptions;
}

export function ContractField({ contract, name, state, isNew, required, more }: ContractFieldProps): JSX.Element {
  const field = contract.field[name]!;
  const {
    label,
    type,
    rows,
    hint,
    hintOfChange = hint,
    words: labels = {},
    isDependent,
    explained,
    offered,
  } = field.form!;
  const { kind, words } = kindOf(field);
  const shared = { state, name, label, hint: isNew ? hint : hintOfChange };
  const known = (offered ?? words).map((value) => ({
    value,
    label: own(labels, value) ?? value,
    text: own(explained, value),
  }));
  const options = [...known, ...(more?.[name] ?? [])];
  if (kind === "words") return <CheckboxGroup {...shared} options={options} />;
  if (kind === "word" || (kind === "text" && more?.[name])) return <SelectField {...shared} options={options} />;
  if (kind === "flag") return <Checkbox {...shared} />;
  return (
    <TextField
      {...shared}
      required={required ?? field.required ?? (isDependent ? undefined : false)}
      type={type ?? (kind === "number" ? "number" : "text")}
      autocomplete={type === "password" ? "new-password" : undefined}
      rows={rows}
      code={rows !== undefined && kind !== "text"}
    />
  );
}

/** Converts form input to an API body. Write-only fields are left out while empty. @throws BadInput */
export function bodyOf({ field }: Shaped, names: readonly string[], form: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = valueSent(name, field[name]!, form);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @returns undefined if the field is omitted from the body */
function valueSent(name: string, field: Field, form: URLSearchParams): unknown {
  const text = form.get(name) ?? "";
  const { kind, words } = kindOf(field);
  switch (kind) {
    case "words":
      return form.getAll(name);
    case "texts":
      return textsIn(limited(name, text), field);
    case "lines":
      return linesOf(name, limited(name, text));
    case "json":
      return jsonOf(name, limited(name, text));
    case "flag":
      return text === "true";
    case "number":
      return text.trim() === "" ? null : typedNumber(name, field.form!.label, text);
    case "word":
      return text === "" && !words.includes("") ? undefined : text;
    case "text":
      if (field.form?.type === "password") return text === "" ? undefined : text;
      return field.form?.rows ? text.replaceAll("\r\n", "\n") : text.trim();
  }
}

function textsIn(text: string, { form }: Field): unknown[] {
  const texts = text
    .split(form?.rows ? "\n" : /\s+/)
    .map((one) => one.trim())
    .filter(Boolean);
  return form?.line ? texts.map(form.line.read) : texts;
}

/** Empty input is null. @throws BadInput */
function jsonOf(field: string, text: string): unknown {
  const reject = (words: string) => BadInput.in([{ Field: field, Message: `${field} ${words}` }]);
  if (text.trim() === "") return null;
  if (isTooDeep(text)) throw reject(`is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  let rounded: ReturnType<typeof roundedNumber>;
  try {
    rounded = roundedNumber(text);
  } catch {
    throw reject("must be JSON.");
  }
  if (rounded)
    throw reject(`has ${printable(rounded.written)}, which would be rounded. Write fewer digits, or a text.`);
  return JSON.parse(text);
}

/** The form state of a record. @param more values of fields outside the contract */
export function formOfRecord(
  contract: Shaped,
  names: readonly string[],
  record: Record<string, unknown>,
  more: Record<string, string> = {},
): FormState {
  const values = names.flatMap((name): [string, string | string[]][] => {
    const value = record[name];
    const field = contract.field[name]!;
    if (field.form?.type === "password" || value === undefined || value === null) return [];
    if (kindOf(field).kind === "json") return [[name, JSON.stringify(value, null, 2)]];
    if (kindOf(field).kind === "texts") return [[name, textOf(value as never[], field)]];
    if (Array.isArray(value)) return [[name, value]];
    if (typeof value !== "object") return [[name, String(value)]];
    const lines = Object.keys(value).map((key) => `${key}:`);
    return [[name, lines.join("\n")]];
  });
  return formOf({ ...Object.fromEntries(values), ...more });
}

export function textOf(value: never[], { form }: Field): string {
  return value.map((one) => form?.line?.show(one) ?? String(one)).join(form?.rows ? "\n" : " ");
}

function linesOf(field: string, text: string): Record<string, string | null> {
  const values = new Map<string, string | null>();
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== "")) {
    const [name = "", ...rest] = line.split(":");
    const key = name.trim();
    if (values.has(key)) {
      throw BadInput.in([{ Field: field, Message: `${field}: the name ${printable(key)} is repeated.` }]);
    }
    values.set(key, rest.join(":").trim() || null);
  }
  return Object.fromEntries(values);
}

/** Replaces the API's message, which mentions If-Match. */
const OUTDATED =
  "Another user has changed this since you opened it. Your input is still here: save it again to overwrite " +
  "theirs, or reload the page to start from theirs.";

/** A form that has not been submitted. */
export function formOf(values: Record<string, string | readonly string[]> = {}): FormState {
  const all = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value).map((item) => [name, item]),
    ),
  );
  return stateOf(all, [], [], undefined);
}

/** With its input, and problems with labels instead of names. @throws errors that the input did not cause */
export function refusedForm(
  sent: URLSearchParams,
  failure: unknown,
  fields: readonly string[] | FieldsByName,
  labels?: Labels,
): FormState {
  if (!(failure instanceof ApiError) || !isAboutInput(failure)) throw failure;
  if (failure.status === 412) return stateOf(sent, [], [OUTDATED], undefined);
  const problems: FieldProblem[] = [];
  const others: string[] = [];
  // Members of an object field have form fields with a dot in their names.
  const [listed, ofFields] = isList(fields) ? [fields, {}] : [Object.keys(fields), labelsIn(fields)];
  const shown = labels ?? ofFields;
  const names = [...listed, ...[...sent.keys()].filter((name) => name.includes("."))];
  const known = failure instanceof BadInput ? failure.problems : [];
  for (const [index, text] of failure.errors.entries()) {
    const field = names.find((name) => (known[index] ? known[index].Field === name : beginsWith(text, name)));
    if (field === undefined) others.push(text);
    else problems.push({ field, text: withoutField(text, field, own(shown, field) ?? field.split(".").at(-1)) });
  }
  return stateOf(sent, problems, others, sent.get("version") ?? undefined);
}

const isList = (fields: readonly string[] | FieldsByName): fields is readonly string[] => Array.isArray(fields);

const labelsIn = (fields: FieldsByName): Labels =>
  Object.fromEntries(Object.entries(fields).map(([name, { label }]) => [name, label]));

function beginsWith(text: string, name: string): boolean {
  return [" ", ":", ","].includes(text.slice(name.length, name.length + 1)) && text.startsWith(name);
}

/** Turns "Policy, line 2: …" into "Line 2: …" for display beside the field. Mentions of null are removed. */
function withoutField(text: string, field: string, label = field): string {
  const rest = text
    .replace(`${field}: `, "")
    .replace(`${field}, `, "")
    .replace(new RegExp(`^${field}(?= )`), () => label)
    .replace(/, or null\.$/, ".");
  return /^[a-z]+ /.test(rest) ? rest.charAt(0).toUpperCase() + rest.slice(1) : rest;
}

/** 400, 409, 412 and 413. Missing permission or a missing record is shown as a separate page. */
function isAboutInput({ status }: ApiError): boolean {
  return [400, 409, 412, 413].includes(status);
}

function stateOf(
  all: URLSearchParams,
  problems: FieldProblem[],
  others: string[],
  version: string | undefined,
): FormState {
  return {
    value: (name) => all.get(name) ?? "",
    values: (name) => all.getAll(name),
    problem: (name) => {
      const texts = problems.filter(({ field }) => field === name).map(({ text }) => text);
      return texts.length > 0 ? texts.join(" ") : undefined;
    },
    problems,
    others,
    version: (current) => version ?? current,
  };
}
