// A User's attributes in the form, by the tenant's definitions.

import { limited, typedNumber } from "../../platform/http/body.ts";
import type { AttributeDefinition, Attributes, AttributeValue } from "../../records/index.ts";
import { type FormState, SelectField, TextField } from "../../ui/index.ts";

/** The field that the form splits into one field for each attribute. */
export const ATTRIBUTES = "Attributes";
const PREFIX = `${ATTRIBUTES}.`;

export function attributeFields(state: FormState, definitions: readonly AttributeDefinition[]): JSX.Element {
  return (
    <>
      {definitions.map(({ Name, Type, Description }) => {
        const shared = { state, name: PREFIX + Name, label: Name, required: false };
        const hint =
          [Description, ...(Type === "Texts" ? ["One per line."] : [])].filter(Boolean).join(" · ") || undefined;
        if (Type === "Boolean") return <SelectField {...shared} hint={hint} options={YES_OR_NO} />;
        return <TextField {...shared} hint={hint} {...(Type === "Texts" && { rows: 3 })} />;
      })}
    </>
  );
}

const YES_OR_NO = [
  { value: "", label: "Not known" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

export function attributeText(value: AttributeValue): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return [value].flat().join(", ");
}

export function attributeTexts(attributes: Attributes = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [PREFIX + name, [value].flat().map(String).join("\n")]),
  );
}

/** The submitted attributes; an empty field removes the value. The service rejects other texts. @throws BadInput */
export function attributesOf(form: URLSearchParams, definitions: readonly AttributeDefinition[]) {
  const given = definitions.filter(({ Name }) => form.has(PREFIX + Name));
  return Object.fromEntries(given.map((one) => [one.Name, valueIn(one, form.get(PREFIX + one.Name)!.trim())]));
}

function valueIn({ Name, Type: type }: AttributeDefinition, text: string) {
  if (text === "") return null;
  if (type === "Boolean") return text === "true";
  if (type === "Number") return typedNumber(PREFIX + Name, Name, text);
  if (type === "Text") return text;
  return limited(PREFIX + Name, text)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}
