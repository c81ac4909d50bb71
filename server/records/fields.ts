// Field kinds of entities: null resets a field, and responses have a default for unset ones.

import { Type } from "@sinclair/typebox";
import { readDate } from "../http/dates.ts";
import { asTyped, type Field, isText, NUL_FREE, SET_BY_SERVER } from "../http/fields.ts";
import { toRecordId } from "../http/query.ts";
import { parseReference } from "./reference.ts";

/** attributes: the tenant's UserAttributes, in a column of jsonb. */
export type FieldType = "text" | "boolean" | "dateTime" | "int32" | "int64" | "attributes";

// biome-ignore lint/suspicious/noExplicitAny: the fields of an entity are known by their names alone.
export interface RecordField extends Field<any, any> {
  column: string;
  type: FieldType | "reference";
  description: string;
  /** Characters of a text. */
  maxLength?: number;
  shape?: TextShape;
  /** Unique only among some records: PostgreSQL checks it, and writers take turns. */
  takesTurns?: boolean;
  /** The column of the text that a boolean confirms. A new text sets it to false unless both are sent. */
  vouchesFor?: string;
  /** Excludes it from `search_text`. */
  isNotSearched?: boolean;
  /** For a foreign key: the kind of the referenced record. */
  target?: string;
  /** The primary key is written as a string. */
  asText?: boolean;
  /** Only in requests, not in responses. */
  inputOnly?: boolean;
  /** The error for an invalid value, after the field's name. */
  problem?(value: never): string | undefined;
}

export interface TextShape {
  pattern: RegExp;
  /** Further checks beyond the pattern. */
  fits?: (text: string) => boolean;
  /** The valid texts, after the field's name. */
  must: string;
}

export const TEXT_LIMIT = 1_000;
/** A PostgreSQL index entry is limited to 2,704 bytes, and a character takes up to three. */
export const UNIQUE_TEXT_LIMIT = 500;
export const INT32_MAX = 2_147_483_647;
/** docs/behaviour.md "Fields": the default of every date. */
export const UNSET_DATE = "1900-01-01T12:00:00Z";
const EXAMPLE_DATE = "2026-01-31T12:00:00.000Z";
const EXAMPLE_NUMBER = 7;

type Options = Pick<RecordField, "unique" | "takesTurns" | "vouchesFor" | "isNotSearched" | "example"> & {
  maxLength?: number;
  shape?: TextShape;
};

const schema = (json: object) => Type.Unsafe<unknown>(json);
const anything = Type.Unknown();
const isEmpty = (value: unknown) => value === null || value === "";

export function text(column: string, description: string, options: Options = {}): RecordField {
  const { shape, maxLength = options.unique ? UNIQUE_TEXT_LIMIT : TEXT_LIMIT } = options;
  const pattern = shape ? `^$|${shape.pattern.source}` : NUL_FREE;
  return {
    ...{ column, description, type: "text", example: description, ...options, maxLength },
    sent: schema({ type: ["string", "null"], maxLength, pattern }),
    checked: Type.Union([Type.String(), Type.Null()]),
    shown: schema({ type: "string", default: "", maxLength }),
    must: "must be a string without unpaired surrogates, or null.",
    problem(value: string | null) {
      const typed = asTyped(value ?? "");
      if (typed.length > maxLength) return `has ${typed.length} characters; the limit is ${maxLength}.`;
      if (!isText(typed)) return "contains a character that is not text (NUL or an unpaired surrogate).";
      if (typed === "" || !shape) return undefined;
      return shape.pattern.test(typed) && (shape.fits?.(typed) ?? true) ? undefined : shape.must;
    },
    take: (value: string | null) => (value && asTyped(value)) || null,
    show: (stored) => stored ?? "",
  };
}

export function flag(column: string, description: string, options: Pick<Options, "vouchesFor"> = {}): RecordField {
  return {
    ...{ column, description, type: "boolean", example: true, ...options },
    sent: schema({ type: ["boolean", "null"] }),
    checked: Type.Union([Type.Boolean(), Type.Null()]),
    shown: schema({ type: "boolean", default: false }),
    must: "must be true, false or null.",
    take: (value: boolean | null) => value ?? false,
    show: (stored) => stored ?? false,
  };
}

export function date(column: string, description: string): RecordField {
  const isUnset = (value: unknown) => isEmpty(value) || value === UNSET_DATE;
  return {
    ...{ column, description, type: "dateTime", example: EXAMPLE_DATE },
    sent: schema({ type: ["string", "null"], format: "date-time" }),
    checked: anything,
    shown: schema({ type: "string", format: "date-time", default: UNSET_DATE }),
    must: "must be a date such as 2026-01-31T12:00:00Z, or null.",
    fits: (value: unknown) => isUnset(value) || (typeof value === "string" && readDate(value) !== undefined),
    take: (value: string | null) => (isUnset(value) ? null : readDate(value!)!),
    show: (stored) => (stored instanceof Date ? stored.toISOString() : UNSET_DATE),
  };
}

const isTime = (value: unknown): value is string => typeof value === "string" && readDate(value) !== undefined;

export function serverDate(column: string, description: string): RecordField {
  const one = date(column, description);
  return {
    ...one,
    sent: one.shown!,
    take: (value: unknown) => value,
    readOnly: true,
    must: SET_BY_SERVER,
    // It may be in a different notation of the same time.
    isEcho: (sent, read) =>
      sent === null || sent === read || (isTime(sent) && isTime(read) && +readDate(sent)! === +readDate(read)!),
  };
}

export function whole(type: "int32" | "int64", column: string, description: string): RecordField {
  const limits = limitsOf(type);
  return {
    ...{ column, description, type, example: EXAMPLE_NUMBER },
    sent: schema({ type: ["integer", "null"], format: type, ...limits }),
    checked: anything,
    shown: schema({ type: "integer", format: type, default: 0 }),
    must: `must be a whole number up to ${limits.maximum}, or null.`,
    fits: (value: unknown) =>
      value === null || (Number.isSafeInteger(value) && Math.abs(value as number) <= limits.maximum),
    show: (stored) => stored ?? 0,
  };
}

export function limitsOf(type: "int32" | "int64"): { minimum: number; maximum: number } {
  const maximum = type === "int32" ? INT32_MAX : Number.MAX_SAFE_INTEGER;
  return { minimum: -maximum, maximum };
}

/** The primary key, in a column `id`. An unknown text is accepted: the look-up answers 404 (docs/behaviour.md). */
export function id(type: "int32" | "int64", description: string): RecordField {
  return {
    ...{ column: "id", description, type, readOnly: true, example: EXAMPLE_NUMBER },
    sent: schema({
      type: ["integer", "string", "null"],
      format: "int64",
      ...limitsOf("int64"),
      pattern: "^([1-9][0-9]{0,14})?$",
    }),
    checked: anything,
    shown: schema({ type: "integer", format: type, default: 0 }),
    must: "must be a record's Id, or empty.",
    fits: (value: unknown) => isEmpty(value) || Number.isSafeInteger(value) || toRecordId(value) !== undefined,
    take: (value: unknown) => (isEmpty(value) || value === 0 ? undefined : String(value)),
    show: (stored) => stored ?? 0,
  };
}

/** The same, as a string. */
export function textId(description: string): RecordField {
  return {
    ...id("int64", description),
    asText: true,
    sent: schema({ type: ["string", "null"] }),
    shown: schema({ type: "string" }),
    must: "must be a record's Id as a string, or empty.",
    fits: (value: unknown) => value === null || typeof value === "string",
    take: (value: string | null) => value || undefined,
    show: (stored) => String(stored ?? ""),
    example: String(EXAMPLE_NUMBER),
  };
}

/** A foreign key that callers set (docs/behaviour.md "Foreign keys"). */
export function reference(
  target: string,
  column: string,
  description: string,
  { inputOnly = false }: Pick<RecordField, "inputOnly"> = {},
): RecordField {
  return {
    ...{ column, description, type: "reference", target, inputOnly, writeOnly: inputOnly },
    sent: schema({ $ref: "#/components/schemas/ForeignKey" }),
    checked: anything,
    must: 'must be null, {"FieldType": "Id" | "ExternalId" | "Name", "Value": …}, {"Id": …} or {"ExternalId": …}.',
    fits: (value: unknown) => parseReference(value) !== undefined,
    take: parseReference,
  };
}
