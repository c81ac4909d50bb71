// The fields of a form, and what it sends, by a contract of the API.

import type { Children } from "@kitajs/html";
import { BadInput } from "../../errors.ts";
import type { Contract } from "../../http/contract.ts";
import { type Field, type Fields, kindOf } from "../../http/fields.ts";
import type { Visit } from "../visit.ts";
import { Checkbox, CheckboxGroup, Form, Hidden, SelectField, TextField } from "./form.tsx";
import { type FormState, formOf } from "./form-state.ts";
import { ButtonLink } from "./parts.tsx";

type Shaped = Pick<Contract<Fields>, "fields">;

/** The names of the fields that people fill in. */
export function formFields({ fields }: Shaped): string[] {
  return Object.keys(fields).filter((name) => fields[name]!.form);
}

export interface ContractFormProps {
  visit: Visit;
  contract: Shaped;
  /** Of the fields, in their order. */
  names: readonly string[];
  state: FormState;
  action: string;
  back: string;
  /** What the button says. */
  label: string;
  /** Of a record that is there already: its entity tag. */
  version?: string;
  /** Below the fields. */
  children?: Children;
}

export function ContractForm(props: ContractFormProps): JSX.Element {
  const { visit, contract, names, state, action, back, label, version, children = "" } = props;
  const isNew = version === undefined;
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {isNew ? "" : <Hidden name="version" value={state.version(version)} />}
        {names.map((name) => (
          <ContractField contract={contract} name={name} state={state} isNew={isNew} />
        ))}
        {children as "safe"}
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

export interface ContractFieldProps {
  contract: Shaped;
  name: string;
  state: FormState;
  /** False: there is a record already. */
  isNew: boolean;
  /** Where that is not the contract's to say. */
  required?: boolean;
}

export function ContractField({ contract, name, state, isNew, required }: ContractFieldProps): JSX.Element {
  const field = contract.fields[name]!;
  const { label, type, rows, hint, hintOfChange = hint, words: told = {}, offered } = field.form!;
  const { kind, words } = kindOf(field);
  const shared = { state, name, label, hint: isNew ? hint : hintOfChange };
  const options = (offered ?? words).map((value) => ({ value, label: told[value] ?? value }));
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
function textsIn(text: string, { form }: Field): string[] {
  return text
    .split(form?.rows ? "\n" : /\s+/)
    .map((one) => one.trim())
    .filter(Boolean);
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
    if (kindOf(field).kind === "texts") return [[name, (value as string[]).join(field.form?.rows ? "\n" : " ")]];
    if (Array.isArray(value)) return [[name, value]];
    if (typeof value !== "object") return [[name, String(value)]];
    const lines = Object.keys(value).map((key) => `${key}:`);
    return [[name, lines.join("\n")]];
  });
  return formOf({ ...Object.fromEntries(values), ...more });
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
