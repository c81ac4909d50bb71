// Field kinds that only records have. First those of entities: null resets a field, and responses have a default for
// unset ones. Then those of settings.

import { Type } from "@sinclair/typebox";
import { readDate } from "../platform/http/dates.ts";
import {
  ABSTRACT_LONG,
  EXAMPLE_ACTOR,
  type Field,
  type FieldOptions,
  type FormField,
  field,
  inSnakeCase,
  NOBODY,
  NUL_FREE,
  orNull,
  readOnly,
  requiredTitle,
  SET_BY_SERVER,
  serverTime,
  title,
  uuidOrNone,
} from "../platform/http/fields.ts";
import { toRecordId } from "../platform/http/query.ts";
import { asTitle, asTyped, KEY_LIMIT, TEXT_LIMIT } from "../platform/text.ts";
import { parseReference } from "./reference.ts";

// biome-ignore lint/suspicious/noExplicitAny: the fields of an entity are known by their names alone.
type RecordField = Field<any, any>;

/** How a record of an array was changed. */
export const CHANGES = ["Created", "Updated", "None"] as const;

/** The column of members of a kind; in a group, `group_id` is the group itself. */
export const memberColumn = (owner: string, type: string) =>
  `${owner === type ? "member_" : ""}${inSnakeCase(type)}_id`;

interface TextOptions extends FieldOptions {
  /** People read it on pages of sign-in. */
  shownAtSignIn?: boolean;
}

/** A PostgreSQL index entry is limited to 2,704 bytes, and a character takes up to three. */
export const UNIQUE_TEXT_LIMIT = KEY_LIMIT;
export const INT32_MAX = 2_147_483_647;
/** docs/behaviour.md "Fields": the default of every date. */
export const UNSET_DATE = "1900-01-01T12:00:00Z";
const EXAMPLE_DATE = "2026-01-31T12:00:00.000Z";
const EXAMPLE_NUMBER = 7;

const schema = (json: object) => Type.Unsafe<unknown>(json);
const anything = Type.Unknown();
const isEmpty = (value: unknown) => value === null || value === "";

export function text(options: TextOptions): RecordField {
  const { shape, compared, maxLength = options.unique ? UNIQUE_TEXT_LIMIT : TEXT_LIMIT } = options;
  const pattern = shape ? `^$|${shape.pattern.source}` : NUL_FREE;
  return {
    ...{ type: "text", audit: "name", example: options.description, ...options, maxLength },
    sent: schema({ type: ["string", "null"], maxLength, pattern }),
    checked: Type.Union([Type.String(), Type.Null()]),
    shown: schema({ type: "string", default: "", maxLength }),
    must: "must be a string without unpaired surrogates, or null.",
    refuse(value: string | null, name) {
      const { text, problem } = (options.shownAtSignIn ? asTitle : asTyped)(value ?? "", maxLength);
      if (text === undefined) return `${name} ${problem}`;
      const key = text && compared ? compared.keyOf(text) : text;
      if (key === undefined) return `${name} has more than ${KEY_LIMIT} characters in its compatibility form (NFKC).`;
      if (key === "" && text) return `${name} needs a visible character.`;
      const isFit = text === "" || !shape || (shape.pattern.test(text) && (shape.fits?.(text) ?? true));
      return isFit ? undefined : `${name} ${shape.must}`;
    },
    take: (value: string | null) => asTyped(value ?? "", maxLength).text || null,
    show: (stored) => stored ?? "",
  };
}

export function flagOrNull(options: FieldOptions): RecordField {
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

export function date(options: FieldOptions): RecordField {
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

export function serverDate(options: FieldOptions): RecordField {
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

export function whole(type: "int32" | "int64", options: FieldOptions): RecordField {
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
export function id(type: "int32" | "int64", options: FieldOptions): RecordField {
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
export function textId(options: FieldOptions): RecordField {
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
export function reference(target: string, options: FieldOptions & Pick<Field, "writeOnly">): RecordField {
  return {
    ...{ type: "reference", target, audit: "name", ...options },
    sent: schema({ $ref: "#/components/schemas/ForeignKey" }),
    checked: anything,
    must: 'must be null, {"FieldType": "Id" | "ExternalId" | "Name", "Value": …}, {"Id": …} or {"ExternalId": …}.',
    fits: (value: unknown) => parseReference(value) !== undefined,
    take: parseReference,
  };
}

const NAME_LIMIT = 200;
const DESCRIPTION_LIMIT = 1_000;

/** A record's own Id; if empty, the record is new or found by a different field. */
export const idField = (type: string) =>
  uuidOrNone(`${articled(type)}'s`, {
    description: "Empty: it is found by its Name, or is new.",
    answered: "",
    judged: true,
    example: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  });

/** The Id of an entity or of an identity provider, as text. Stored as a number; null: none. */
export const recordIdField = (target: string, options: FieldOptions) =>
  field<number | null, string>({
    ...options,
    target,
    sent: Type.String({ pattern: "^([1-9][0-9]{0,14})?$" }),
    checked: orNull(Type.String()),
    shown: Type.String(),
    must: `must be ${articled(target)}'s Id, or empty.`,
    fits: (value: string | null) => !value || toRecordId(value) !== undefined,
    take: (value: string | null) => (value ? toRecordId(value)! : null),
    show: (stored) => (stored === null ? "" : String(stored)),
    audit: "value",
    judged: true,
  });

const articled = (noun: string) => `${/^[AEIOU]/.test(noun) ? "an" : "a"} ${noun}`;

export const nameField = (example: string, hint?: string) =>
  requiredTitle(NAME_LIMIT, {
    description: "Unique in the system.",
    unique: true,
    audit: "name",
    judged: true,
    form: { label: "Name", hint },
    example,
  });

/** null counts as empty. */
export const descriptionField = (example: string, form: FormField = { label: "Description", hint: "For people." }) =>
  field<string, string>({
    ...title(DESCRIPTION_LIMIT, { description: "For people.", audit: "name", judged: true, form, example }),
    documented: { default: "" },
    take: (value: string | null) => value ?? "",
  });

const at = (description: string) => serverTime({ description, example: EXAMPLE_DATE });

const by = (description: string) =>
  field<unknown, unknown>({
    ...readOnly(ABSTRACT_LONG, { description, example: EXAMPLE_ACTOR }),
    must: SET_BY_SERVER,
    // Its Name may be hidden from the caller.
    isEcho: (sent, read) => sent === null || isSame((sent ?? {}) as Reference, (read ?? {}) as Reference),
    show: (stored) => stored ?? NOBODY,
  });

export const STAMP_FIELDS = {
  ModifiedOn: at("Update date."),
  ModifiedBy: by("Who updated the record."),
  CreatedBy: by("Who created the record."),
  CreatedOn: at("Creation date."),
};

export interface Stamped {
  createdOn: Date;
  /** AbstractLong (docs/behaviour.md "Foreign keys"), or null. */
  createdBy: unknown;
  modifiedOn: Date;
  modifiedBy: unknown;
}

interface Reference {
  Id?: unknown;
  Type?: unknown;
}
const isSame = (one: Reference, other: Reference) => one.Id === other.Id && one.Type === other.Type;
