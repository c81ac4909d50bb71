import type { FormField } from "../http/fields.ts";
import type { FieldType, RecordField } from "./fields.ts";

/** A field, by its name in the API. */
export interface NamedField extends RecordField {
  name: string;
  type: FieldType;
}

export interface NamedReference extends RecordField {
  name: string;
  target: string;
}

/**
 * The table has, beside the columns of the fields: `id` (an identity column), `tenant_id`, `sequence` (default 1),
 * `created_on`, `created_by_type`, `created_by_id`, `modified_on`, `modified_by_type`, `modified_by_id`, and
 * `search_text`, generated from the texts that are searched.
 */
interface RecordOptions {
  table: string;
  description: string;
  /** By name; the primary key comes first, as `Id`. */
  fields: Readonly<Record<string, RecordField>>;
  /** Text fields that find a record when Id is empty (docs/behaviour.md "Write a record"). */
  identifiers: readonly string[];
  /** A table with rows, by this key, for records that registered themselves; `is_open`: without a token. */
  strangers?: { table: string; key: string };
  /** The fields of the form, in their order; default: all, by their own names. */
  form?: Readonly<Record<string, FormField>>;
}

export interface RecordDeclaration extends Omit<RecordOptions, "fields"> {
  name: string;
  /** The primary key is written as a string, as Application's is. */
  idAsText: boolean;
  fields: readonly NamedField[];
  references: readonly NamedReference[];
}

/** Declares an entity. Validation, routes, SQL, events, policies, pages and documents derive from it. */
export function record(name: string, { fields, ...options }: RecordOptions): RecordDeclaration {
  const all = Object.entries(fields).map(([one, field]) => named(one, field));
  const isReference = (field: RecordField) => field.type === "reference";
  return {
    ...options,
    name,
    idAsText: fields.Id?.asText === true,
    fields: all.filter((field): field is NamedField => !isReference(field)),
    references: all.filter((field): field is NamedReference & typeof field => isReference(field)),
  };
}

function named(name: string, field: RecordField) {
  const { problem } = field;
  if (!problem) return { ...field, name };
  return {
    ...field,
    name,
    refuse(value: never) {
      const found = problem(value);
      return found && `${name} ${found}`;
    },
  };
}
