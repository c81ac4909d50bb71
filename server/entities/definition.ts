// What an entity is. Its definition drives validation, routes, SQL, events and the Entities list.

export type FieldType = "text" | "boolean" | "dateTime" | "int32" | "int64";

export interface Field {
  /** As SPEC.md spells it. */
  name: string;
  column: string;
  type: FieldType;
  /** Set by the server; in input it is refused if it differs. */
  readOnly?: boolean;
  /** Characters of a text. */
  maxLength?: number;
  /** The constraint that keeps it unique within the tenant. */
  unique?: string;
}

/** A foreign key whose value the caller sets. */
export interface Reference {
  name: string;
  column: string;
  target: "Application" | "IdentityProvider";
}

export interface EntityDefinition {
  name: string;
  table: string;
  /** The primary key comes first. */
  fields: Field[];
  /** The primary key is written as a string, as Application's is. */
  idAsText: boolean;
  references: Reference[];
  /** Unique fields that find a record when Id is empty (SPEC.md Endpoints 5). */
  identifiers: string[];
  /** What the API offers. */
  operations: ("read" | "upsert")[];
}

const TEXT_LIMIT = 1_000;
/** An index entry of PostgreSQL holds 2,704 bytes, and a character takes up to three of them. */
const UNIQUE_TEXT_LIMIT = 500;
/** SPEC.md's default of every date. */
export const UNSET_DATE = "1900-01-01T12:00:00Z";

export function text(name: string, column: string, extra: Partial<Field> = {}): Field {
  return { name, column, type: "text", maxLength: extra.unique ? UNIQUE_TEXT_LIMIT : TEXT_LIMIT, ...extra };
}

export function boolean(name: string, column: string): Field {
  return { name, column, type: "boolean" };
}

export function serverDate(name: string, column: string): Field {
  return { name, column, type: "dateTime", readOnly: true };
}
