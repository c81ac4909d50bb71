// One declaration for each kind of record. Validation, routes, SQL, policies, the audit log, events, pages and documents
// derive from it.

import { type Contract, contract } from "../http/contract.ts";
import { type Fields, type FormField, inSnakeCase, keyOf } from "../http/fields.ts";
import type { FieldType, RecordField } from "./fields.ts";

/** The scopes that each operation needs; policies decide on actions of the same names. */
export interface RecordScopes {
  read: string;
  create: string;
  update: string;
  remove: string;
}
export const ENTITY = {
  read: "AccessManager:Read",
  create: "AccessManager:Create",
  update: "AccessManager:Update",
  remove: "AccessManager:Delete",
} as const satisfies RecordScopes;
export const SETTING = {
  read: "Settings:Read",
  create: "Settings:Update",
  update: "Settings:Update",
  remove: "Settings:Update",
} as const satisfies RecordScopes;
export const WEBHOOK = {
  read: "Webhooks:Read",
  create: "Webhooks:Create",
  update: "Webhooks:Update",
  remove: "Webhooks:Delete",
} as const satisfies RecordScopes;

/** The first part of the kinds of audit entries: `Policy.Created`. */
export const AUDITED_AS = ["Record", "Policy", "Role", "IdentityProvider", "WebhookConnection"] as const;
/** These kinds have additional audit kinds. */
type Audited = (typeof AUDITED_AS)[number] | "Credentials" | "TenantSettings";

interface RecordOptions<F extends Fields, S extends RecordScopes> {
  /**
   * Its columns are those of the fields, `id` and `tenant_id`. An entity's table also has `sequence` (default 1),
   * `created_on`, `created_by_type`, `created_by_id`, the same of `modified`, and `search_text`, generated from the texts
   * that are searched. A unique field's constraint is `TABLE_COLUMN_key`.
   */
  table: string;
  /** One and several of them, within a sentence. */
  nouns?: readonly [one: string, several: string];
  description: string;
  scopes?: S;
  /** Whether changes make events for webhook connections; default: an entity's do. */
  events?: boolean;
  audit?: Audited;
  /** Families of actions for policies, in addition to those of its scopes. */
  families?: readonly string[];
  /** The field used in Cedar's `Type::"…"`; default: Id. */
  key?: string;
  /** By name. Id comes first. */
  fields: F;
  /** The fields that find a record when Id is empty (docs/behaviour.md "Write a record"). */
  identifiers?: readonly string[];
  /** The kind of records that each have one, at `/KIND/{Id}/NAME`. */
  partOf?: string;
  /** A table with rows, by this key, for records that registered themselves; `is_open`: without a token. */
  strangers?: { table: string; key: string };
  /** The fields of an entity's form, in their order; default: all that can be written, by their own names. */
  form?: Readonly<Record<string, FormField>>;
  texts?: RecordTexts;
}

export interface RecordTexts {
  /** Describes its group of operations. */
  group: string;
  /** Describes PATCH and POST; default: its identifiers and required fields. */
  save?: string;
  alsoSaved?: string;
  /** The effects of a deletion. */
  remove: string;
  /** Fields of the example of a new one; default: Name. */
  example?: readonly string[];
  /** Replaces it: bodies that each make a record, by name. */
  examples?: Readonly<Record<string, Record<string, unknown>>>;
}

interface Declared<F extends Fields, S extends RecordScopes> extends Omit<RecordOptions<F, S>, "fields" | "form"> {
  name: string;
  nouns: readonly [one: string, several: string];
  scopes: S;
  events: boolean;
  audit: Audited;
  families: readonly string[];
  identifiers: readonly string[];
  texts: RecordTexts;
  form: readonly string[];
  /** Unique fields, by their constraint. */
  unique: ReadonlyMap<string, string>;
}

export interface Declaration<F extends Fields = Fields, S extends RecordScopes = RecordScopes>
  extends Declared<F, S>,
    Contract<F> {}

interface Named extends RecordField {
  name: string;
  column: string;
}

export interface NamedField extends Named {
  type: Exclude<FieldType, "reference">;
}

export interface NamedReference extends Named {
  target: string;
}

/** An entity: its fields are of fields.ts. `createRegistry` adds its contract, which needs the targets of foreign keys. */
export interface RecordDeclaration extends Declared<Record<string, RecordField>, RecordScopes> {
  /** The primary key is written as a string, as Application's is. */
  idAsText: boolean;
  fields: readonly NamedField[];
  references: readonly NamedReference[];
}

export function record(
  name: string,
  options: RecordOptions<Record<string, RecordField>, RecordScopes>,
): RecordDeclaration;
export function record<F extends Fields, S extends RecordScopes>(
  name: string,
  options: RecordOptions<F, S>,
): Declaration<F, S>;
export function record(name: string, { fields, ...options }: RecordOptions<Fields, RecordScopes>): unknown {
  const { table, description, scopes = ENTITY } = options;
  const form = new Map(Object.entries(options.form ?? formOf(fields as Record<string, RecordField>)));
  const isReference = ({ type }: RecordField) => type === "reference";
  const all = Object.entries(fields as Record<string, RecordField>).map(([one, field]) => ({
    ...field,
    name: one,
    column: keyOf(isReference(field) ? one.replace(/(?<!Id)$/, "Id") : one, field),
    form: form.get(one),
  }));
  const unique = all.filter((field) => field.unique);
  const isEntity = all.some(({ type }) => type);
  return {
    name,
    nouns: [name.toLowerCase(), `${name.toLowerCase()}s`],
    events: scopes === ENTITY,
    audit: "Record",
    families: [],
    identifiers: ["Name"],
    texts: { group: description, remove: "" },
    ...options,
    scopes,
    form: [...form.keys()],
    unique: new Map(unique.map(({ name, column }) => [`${table}_${inSnakeCase(column)}_key`, name])),
    ...(isEntity
      ? {
          idAsText: fields.Id?.shown?.type === "string",
          fields: all.filter((field) => !isReference(field)),
          references: all.filter(isReference),
        }
      : contract(name, description, Object.fromEntries(all.map((field) => [field.name, field])))),
  };
}

function formOf(fields: Readonly<Record<string, RecordField>>): Record<string, FormField> {
  const all = Object.entries(fields).flatMap(([name, { form, type, readOnly }]) => {
    if (form || !type || readOnly) return form ? [{ name, form, type }] : [];
    return [{ name, form: { label: name.replaceAll("_", " ") }, type }];
  });
  // Foreign keys come last.
  const ordered = all.toSorted((one, other) => Number(one.type === "reference") - Number(other.type === "reference"));
  return Object.fromEntries(ordered.map(({ name, form }) => [name, form]));
}
