// Field kinds of entities: null resets a field, and responses have a default for unset ones.

import { Type } from "@sinclair/typebox";
import { readDate } from "../http/dates.ts";
import { asTyped, type Field, type FieldOptions, isText, NUL_FREE, SET_BY_SERVER } from "../http/fields.ts";
import { toRecordId } from "../http/query.ts";
import { parseReference } from "./reference.ts";

/** attributes: the tenant's UserAttributes, in a column of jsonb. */
export type FieldType = "text" | "boolean" | "dateTime" | "int32" | "int64" | "attributes" | "reference";

interface OwnOptions extends FieldOptions {
  /** Characters of a text. */
  maxLength?: number;
  /** Unique only among some records: PostgreSQL checks it, and writers take turns. */
  takesTurns?: boolean;
  /** The text that a boolean confirms. A new text sets it to false unless both are sent. */
  vouchesFor?: string;
  /** Excludes it from `search_text`. */
  isNotSearched?: boolean;
  shape?: TextShape;
}

// biome-ignore lint/suspicious/noExplicitAny: the fields of an entity are known by their names alone.
export interface RecordField extends Field<any, any>, OwnOptions {
  type: FieldType;
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

const schema = (json: object) => Type.Unsafe<unknown>(json);
const anything = Type.Unknown();
const isEmpty = (value: unknown) => value === null || value === "";

export function text(options: OwnOptions): RecordField {
  const { shape, maxLength = options.unique ? UNIQUE_TEXT_LIMIT : TEXT_LIMIT } = options;
  const pattern = shape ? `^$|${shape.pattern.source}` : NUL_FREE;
  return {
    ...{ type: "text", audit: "name", example: options.description, ...options, maxLength },
    sent: schema({ type: ["string", "null"], maxLength, pattern }),
    checked: Type.Union([Type.String(), Type.Null()]),
    shown: schema({ type: "string", default: "", maxLength }),
    must: "must be a string without unpaired surrogates, or null.",
    refuse(value: string | null, name) {
      const typed = asTyped(value ?? "");
      if (typed.length > maxLength) return `${name} has ${typed.length} characters; the limit is ${maxLength}.`;
      if (!isText(typed)) return `${name} contains a character that is not text (NUL or an unpaired surrogate).`;
      const isFit = typed === "" || !shape || (shape.pattern.test(typed) && (shape.fits?.(typed) ?? true));
      return isFit ? undefined : `${name} ${shape.must}`;
    },
    take: (value: string | null) => (value && asTyped(value)) || null,
    show: (stored) => stored ?? "",
  };
}

export function flag(options: OwnOptions): RecordField {
  return {
    ...{ type: "boolean", audit: "value", example: true, ...options },
    sent: schema({ type: ["boolean", "null"] }),
    checked: Type.Union([Type.Boolean(), Type.Null()]),
    shown: schema({ type: "boolean", default: false }),
    must: "must be true, false or null.",
    take: (value: boolean | null) => value ?? false,
    show: (stored) => stored ?? false,
  };
}

export function date(options: OwnOptions): RecordField {
  const isUnset = (value: unknown) => isEmpty(value) || value === UNSET_DATE;
  return {
    ...{ type: "dateTime", audit: "name", example: EXAMPLE_DATE, ...options },
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

export function serverDate(options: OwnOptions): RecordField {
  const { audit: _, ...one } = date(options);
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

export function whole(type: "int32" | "int64", options: OwnOptions): RecordField {
  const limits = limitsOf(type);
  return {
    ...{ type, audit: "name", example: EXAMPLE_NUMBER, ...options },
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

/** The primary key. An unknown text is accepted: the look-up answers 404 (docs/behaviour.md). */
export function id(type: "int32" | "int64", options: OwnOptions): RecordField {
  return {
    ...{ type, readOnly: true, example: EXAMPLE_NUMBER, ...options },
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
export function textId(options: OwnOptions): RecordField {
  return {
    ...id("int64", { example: String(EXAMPLE_NUMBER), ...options }),
    sent: schema({ type: ["string", "null"] }),
    shown: schema({ type: "string" }),
    must: "must be a record's Id as a string, or empty.",
    fits: (value: unknown) => value === null || typeof value === "string",
    take: (value: string | null) => value || undefined,
    show: (stored) => String(stored ?? ""),
  };
}

/** A foreign key that callers set (docs/behaviour.md "Foreign keys"); its column ends in `_id`. */
export function reference(target: string, options: OwnOptions & Pick<RecordField, "writeOnly">): RecordField {
  return {
    ...{ type: "reference", target, audit: "name", ...options },
    sent: schema({ $ref: "#/components/schemas/ForeignKey" }),
    checked: anything,
    must: 'must be null, {"FieldType": "Id" | "ExternalId" | "Name", "Value": …}, {"Id": …} or {"ExternalId": …}.',
    fits: (value: unknown) => parseReference(value) !== undefined,
    take: parseReference,
  };
}
