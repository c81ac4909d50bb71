// The fields of a form, and what it sends, by a contract of the API.

import type { Children } from "@kitajs/html";
import { ApiError, BadInput } from "../errors.ts";
import type { Contract } from "../http/contract.ts";
import { type Field, type Fields, kindOf } from "../http/fields.ts";
import type { FieldProblem, FormState } from "./form.tsx";
import { Checkbox, CheckboxGroup, Form, Hidden, type Option, SelectField, TextField } from "./form.tsx";
import { ButtonLink } from "./parts.tsx";
import type { Visit } from "./visit.ts";

type Shaped = Pick<Contract<Fields>, "fields">;

/** What people know fields by. */
export type Labels = Record<string, string>;

export function labelsOf({ fields }: Shaped): Labels {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, { form }]) => (form ? [[name, form.label]] : [])));
}

/** The names of the fields that people fill in. */
export function formFields({ fields }: Shaped): string[] {
  return Object.keys(fields).filter((name) => fields[name]!.form);
}

export interface FormPanelProps {
  visit: Visit;
  state: FormState;
  action: string;
  back: string;
  /** What the button says. */
  label: string;
  /** Of a record that is there already: its entity tag. */
  version?: string;
  /** As wide as the page. */
  wide?: boolean;
  /** Other buttons. */
  beside?: JSX.Element;
  children?: Children;
}

/** The form of one record, whatever its fields. */
export function FormPanel(props: FormPanelProps): JSX.Element {
  const { visit, state, action, back, label, version, wide, beside = "", children = "" } = props;
  return (
    <div class={wide ? "panel" : "panel narrow"}>
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        {children as "safe"}
        <div class="buttons">
          <button type="submit" class="main" safe>
            {label}
          </button>
          {beside as "safe"}
          <ButtonLink href={visit.href(back)}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}

export interface ContractFormProps extends FormPanelProps {
  contract: Shaped;
  /** Of the fields, in their order; `children` stand below them. */
  names: readonly string[];
  sections?: Sections;
  more?: MoreOptions;
}

/** Options that the contract does not know, by the field's name. */
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

/** Fields that few people need, by the heading that they stand behind. */
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
  /** One field. */
  field(name: string): JSX.Element;
}

/** In their order, and below them those that are in sections. */
export function FieldsInSections(props: FieldsInSectionsProps): JSX.Element {
  const { names, sections = {}, contract, state, field } = props;
  const folded = Object.values(sections).flat();
  return (
    <>
      {names.filter((name) => !folded.includes(name)).map(field)}
      {Object.entries(sections).map(([heading, some]) => (
        <details class="more" open={some.some((name) => isTold(contract.fields[name]!, name, state))}>
          <summary>
            <span safe>{heading}</span>{" "}
            <small safe>{some.map((name) => contract.fields[name]!.form!.label).join(" · ")}</small>
          </summary>
          <div class="fields">{some.map(field)}</div>
        </details>
      ))}
    </>
  );
}

/** Whether it has another value than by default, or there is something wrong with it. */
function isTold(field: Field, name: string, state: FormState): boolean {
  const standard = kindOf(field).words[0] ?? "";
  return !["", "false", standard].includes(state.value(name)) || state.problem(name) !== undefined;
}

/** A value or an error's field may be called as something that every object has, such as `constructor`. */
const own = <Value,>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

export interface ContractFieldProps {
  contract: Shaped;
  name: string;
  state: FormState;
  /** False: there is a record already. */
  isNew: boolean;
  /** Where that is not the contract's to say. */
  required?: boolean;
  more?: MoreOptions;
}

export function ContractField({ contract, name, state, isNew, required, more }: ContractFieldProps): JSX.Element {
  const field = contract.fields[name]!;
  const { label, type, rows, hint, hintOfChange = hint, words: told = {}, explained, offered } = field.form!;
  const { kind, words } = kindOf(field);
  const shared = { state, name, label, hint: isNew ? hint : hintOfChange };
  const known = (offered ?? words).map((value) => ({
    value,
    label: own(told, value) ?? value,
    text: own(explained, value),
  }));
  const options = [...known, ...(more?.[name] ?? [])];
  if (kind === "words") return <CheckboxGroup {...shared} options={options} />;
  if (kind === "word") return <SelectField {...shared} options={options} />;
  if (kind === "flag") return <Checkbox {...shared} />;
  return (
    <TextField
      {...shared}
      required={required ?? field.required ?? false}
      type={type ?? (kind === "number" ? "number" : "text")}
      autocomplete={type === "password" ? "new-password" : undefined}
      rows={rows}
      code={rows !== undefined && kind !== "text"}
    />
  );
}

/**
 * What the form sent, as a body of the API. What is never shown is left out while it is empty.
 * @throws BadInput
 */
export function bodyOf({ fields }: Shaped, names: readonly string[], form: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = valueSent(name, fields[name]!, form);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @returns undefined: nothing is said of it */
function valueSent(name: string, field: Field, form: URLSearchParams): unknown {
  const text = form.get(name) ?? "";
  const { kind, words } = kindOf(field);
  switch (kind) {
    case "words":
      return form.getAll(name);
    case "texts":
      return textsIn(text, field);
    case "lines":
      return linesOf(name, text);
    case "json":
      return jsonOf(name, text);
    case "flag":
      return text === "true";
    case "number":
      return text.trim() === "" ? null : Number(text);
    case "word":
      return text === "" && !words.includes("") ? undefined : text;
    case "text":
      if (field.form?.type === "password") return text === "" ? undefined : text;
      return field.form?.rows ? text.replaceAll("\r\n", "\n") : text.trim();
  }
}

/** One a line, or with spaces between. */
function textsIn(text: string, { form }: Field): unknown[] {
  const texts = text
    .split(form?.rows ? "\n" : /\s+/)
    .map((one) => one.trim())
    .filter(Boolean);
  return form?.line ? texts.map(form.line.read) : texts;
}

/** Nothing is null. @throws BadInput */
function jsonOf(field: string, text: string): unknown {
  try {
    return text.trim() === "" ? null : JSON.parse(text);
  } catch {
    throw BadInput.in([{ Field: field, Message: `${field} must be JSON.` }]);
  }
}

/** The form as a record fills it. @param more of fields that are not the contract's */
export function formOfRecord(
  { fields }: Shaped,
  names: readonly string[],
  record: Record<string, unknown>,
  more: Record<string, string> = {},
): FormState {
  const values = names.flatMap((name): [string, string | string[]][] => {
    const value = record[name];
    const field = fields[name]!;
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

/** A list as its form has it. */
export function textOf(value: never[], { form }: Field): string {
  return value.map((one) => form?.line?.show(one) ?? String(one)).join(form?.rows ? "\n" : " ");
}

/** Lines of `Name: value`; without a value null, which keeps what there is. */
function linesOf(field: string, text: string): Record<string, string | null> {
  const values = new Map<string, string | null>();
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== "")) {
    const [name = "", ...rest] = line.split(":");
    const key = name.trim();
    if (values.has(key)) {
      throw BadInput.in([{ Field: field, Message: `${field}: a name stands there twice.` }]);
    }
    values.set(key, rest.join(":").trim() || null);
  }
  return Object.fromEntries(values);
}

/** The service speaks of If-Match there. */
const OUTDATED =
  "Somebody else has changed this since you opened it. What you typed is still here: save it again to put it over " +
  "theirs, or open the page anew to begin from theirs.";

/** A form before anything is typed. */
export function formOf(values: Record<string, string | readonly string[]> = {}): FormState {
  const all = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value).map((item) => [name, item]),
    ),
  );
  return stateOf(all, [], [], undefined);
}

/**
 * A form that was refused: as it was sent, with each problem beside its field. The service's own words say which: they
 * begin with the field's name, in whose place its label is told.
 * @param fields names of the form's fields
 * @throws what is no fault of what was typed
 */
export function refusedForm(
  sent: URLSearchParams,
  failure: unknown,
  fields: readonly string[],
  labels: Labels = {},
): FormState {
  if (!(failure instanceof ApiError) || !isAboutInput(failure)) throw failure;
  if (failure.status === 412) return stateOf(sent, [], [OUTDATED], undefined);
  const problems: FieldProblem[] = [];
  const others: string[] = [];
  // Parts of a field that is an object have fields of their own.
  const names = [...fields, ...[...sent.keys()].filter((name) => name.includes("."))];
  const known = failure instanceof BadInput ? failure.problems : [];
  for (const [index, text] of failure.errors.entries()) {
    const field = names.find((name) => (known[index] ? known[index].Field === name : beginsWith(text, name)));
    if (field === undefined) others.push(text);
    else problems.push({ field, text: withoutField(text, field, own(labels, field) ?? field.split(".").at(-1)) });
  }
  return stateOf(sent, problems, others, sent.get("version") ?? undefined);
}

function beginsWith(text: string, name: string): boolean {
  return [" ", ":", ","].includes(text.slice(name.length, name.length + 1)) && text.startsWith(name);
}

/** "Policy, line 2: …" stands beside Policy as "Line 2: …". What somebody has typed stays as it is, and nobody types null. */
function withoutField(text: string, field: string, label = field): string {
  const rest = text
    .replace(`${field}: `, "")
    .replace(`${field}, `, "")
    .replace(new RegExp(`^${field}(?= )`), () => label)
    .replace(/, or null\.$/, ".");
  return /^[a-z]+ /.test(rest) ? rest.charAt(0).toUpperCase() + rest.slice(1) : rest;
}

/** 400, 409, 412 and 413; that one may not, or that there is no such record, is a page of its own. */
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
