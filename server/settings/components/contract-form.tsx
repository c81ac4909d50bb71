// The fields of a form, and what it sends, by a contract of the API.

import { BadInput } from "../../errors.ts";
import type { Contract } from "../../http/contract.ts";
import { type Fields, kindOf } from "../../http/fields.ts";
import { CheckboxGroup, SelectField, TextField } from "./form.tsx";
import { type FormState, formOf } from "./form-state.ts";

type Shaped = Pick<Contract<Fields>, "fields">;

/** The names of the fields that people fill in. */
export function formFields({ fields }: Shaped): string[] {
  return Object.keys(fields).filter((name) => fields[name]!.form);
}

export interface ContractFieldProps {
  contract: Shaped;
  name: string;
  state: FormState;
  /** False: there is a record already. */
  isNew: boolean;
}

export function ContractField({ contract, name, state, isNew }: ContractFieldProps): JSX.Element {
  const field = contract.fields[name]!;
  const { label, type, rows, hint, hintOfChange = hint } = field.form!;
  const { kind, words } = kindOf(field);
  const shared = { state, name, label, hint: isNew ? hint : hintOfChange };
  const options = words.map((value) => ({ value, label: value }));
  if (kind === "words") return <CheckboxGroup {...shared} options={options} />;
  if (kind === "word") return <SelectField {...shared} options={options} />;
  return (
    <TextField
      {...shared}
      required={field.required ?? false}
      type={type ?? (kind === "number" ? "number" : "text")}
      autocomplete={type === "password" ? "new-password" : undefined}
      rows={rows}
      code={kind === "lines"}
    />
  );
}

/**
 * What the form sent, as a body of the API. What is never shown is left out while it is empty.
 * @throws BadInput
 */
export function bodyOf({ fields }: Shaped, names: readonly string[], form: URLSearchParams): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const name of names) {
    const text = form.get(name) ?? "";
    const { kind } = kindOf(fields[name]!);
    if (kind === "words") body[name] = form.getAll(name);
    else if (kind === "lines") body[name] = linesOf(name, text);
    else if (kind === "word" && text === "") continue;
    else if (kind === "number") body[name] = text.trim() === "" ? null : Number(text);
    else if (text !== "" || fields[name]!.form?.type !== "password") body[name] = text.replaceAll("\r\n", "\n");
  }
  return body;
}

/** The form as a record fills it. */
export function formOfRecord({ fields }: Shaped, names: readonly string[], record: Record<string, unknown>): FormState {
  const values = names.flatMap((name): [string, string | string[]][] => {
    const value = record[name];
    const { form } = fields[name]!;
    if (form?.type === "password" || value === undefined || value === null) return [];
    if (Array.isArray(value)) return [[name, value]];
    return [
      [
        name,
        typeof value === "object"
          ? Object.keys(value)
              .map((key) => `${key}:`)
              .join("\n")
          : String(value),
      ],
    ];
  });
  return formOf(Object.fromEntries(values));
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
