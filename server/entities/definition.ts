// What an entity is. Its definition drives validation, routes, SQL, events and the Entities list.

import type { FormField } from "../http/fields.ts";

/** attributes: what the tenant's UserAttributes say; in a column of jsonb. */
export type FieldType = "text" | "boolean" | "dateTime" | "int32" | "int64" | "attributes";

export interface EntityField {
  /** As the API spells it. */
  name: string;
  column: string;
  type: FieldType;
  /** What it means to a caller, in one sentence. */
  description: string;
  /** Set by the server; in input it is refused if it differs. */
  readOnly?: boolean;
  /** Characters of a text. */
  maxLength?: number;
  /** The constraint that keeps it unique within the tenant. */
  unique?: string;
  /** Not unique, but some of those who have it have it alone: PostgreSQL sees to that, and its writers take turns. */
  takesTurns?: boolean;
  /** What its text has to look like. */
  shape?: TextShape;
  /** Of a boolean: the column of the text that it vouches for. It is false of a new text unless that comes with it. */
  vouchesFor?: string;
  /** Lists are not searched in it: `search_text` is without it. */
  isNotSearched?: boolean;
  /** What a text may look like, for the OpenAPI document; by default its description. */
  example?: string;
}

export interface TextShape {
  pattern: RegExp;
  /** What the pattern cannot tell. */
  fits?: (text: string) => boolean;
  /** What is said of another, after the field's name. */
  must: string;
}

/** A foreign key whose value the caller sets. */
export interface Reference {
  name: string;
  column: string;
  /** The name of the entity, or other record, that it points at. */
  target: string;
  description: string;
  /** Taken but not part of the response shape. */
  inputOnly?: boolean;
}

/** What a foreign key can point at. Its table has `id` and `tenant_id`, and its fields are Id, Name and ExternalId, or more. */
export interface PointedAt {
  name: string;
  table: string;
  /** The primary key is written as a string, as Application's is. */
  idAsText: boolean;
  fields: readonly Pick<EntityField, "name" | "column" | "example">[];
}

/**
 * Its table has, beside the columns named here: `id` (an identity column), `tenant_id`, `sequence` (1 by default),
 * `created_on`, `created_by_type`, `created_by_id`, `modified_on`, `modified_by_type`, `modified_by_id`, and
 * `search_text`, generated of its `searchables`.
 */
export interface EntityDefinition extends PointedAt {
  description: string;
  /** The primary key comes first. */
  fields: readonly EntityField[];
  references: readonly Reference[];
  /** Text fields that find a record when Id is empty (docs/behaviour.md "Write a record"). */
  identifiers: readonly string[];
  /** Whose rows, by this key, say that a stranger (`is_open`) has made the record and named it. */
  strangers?: { table: string; key: string };
  /** The fields and foreign keys that people fill in, in their order; by default all, by their own names. */
  form?: Readonly<Record<string, FormField>>;
}

export const TEXT_LIMIT = 1_000;
/** An index entry of PostgreSQL holds 2,704 bytes, and a character takes up to three of them. */
export const UNIQUE_TEXT_LIMIT = 500;
export const DESCRIPTION_LIMIT = 10_000;
/** An address that people go to: http or https alone, for others do something in the browser. */
export const WEB_ADDRESS_SHAPE: TextShape = {
  pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\0]+$/,
  fits: (text) => URL.canParse(text),
  must: "must be an address that begins with https:// or http://, or null.",
};
/** docs/behaviour.md "Fields": the default of every date. */
export const UNSET_DATE = "1900-01-01T12:00:00Z";

/** Who changed a record; every entity has both, and the server sets them. */
export const ACTOR_FIELDS = [
  { name: "ModifiedBy", description: "Who updated the record." },
  { name: "CreatedBy", description: "Who created the record." },
] as const;

/** docs/behaviour.md "Application": the order in which a record ends. */
const LAST = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"];

/** What a record consists of, by name, in the order in which it is answered. */
export function inAnswerOrder<T>(parts: [name: string, part: T][]): [name: string, part: T][] {
  const last = LAST.flatMap((name) => parts.filter((part) => part[0] === name));
  return [...parts.filter((part) => !last.includes(part)), ...last];
}

export function text(name: string, column: string, description: string, extra: Partial<EntityField> = {}): EntityField {
  const maxLength = extra.unique ? UNIQUE_TEXT_LIMIT : TEXT_LIMIT;
  return { name, column, type: "text", description, maxLength, ...extra };
}

export function boolean(name: string, column: string, description: string): EntityField {
  return { name, column, type: "boolean", description };
}

export function serverDate(name: string, column: string, description: string): EntityField {
  return { name, column, type: "dateTime", description, readOnly: true };
}
