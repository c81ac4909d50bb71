// Kinds of fields for contracts: input, output and validation.

import { type SchemaOptions, type Static, type TSchema, type TString, Type } from "@sinclair/typebox";
import { readDate } from "./dates.ts";

export interface FieldOptions {
  description?: string;
  /** The description in responses, if it differs. */
  answered?: string;
  example?: unknown;
  required?: boolean;
  /** Its key in a row, which is its column in camel case; default: its name in camel case. */
  column?: string;
  /** The audit details of a change: only the field's name, or also its values. */
  audit?: "name" | "value";
  /** No two records of a tenant share it. */
  unique?: boolean;
  /** In a column of JSON, or not in the table; default: in a column. */
  stored?: "json" | "elsewhere";
  /** The value of a new record; default: what null means. */
  blank?: unknown;
  /** Whether policies may use it. */
  judged?: boolean;
  /** The kind of record that it references. */
  target?: string;
  form?: FormField;
  /** Additions to the schema in the OpenAPI document. */
  documented?: Record<string, unknown>;
}

export interface FormField {
  label: string;
  hint?: string;
  hintOfChange?: string;
  type?: "url" | "email" | "password";
  rows?: number;
  /** An object that users write as JSON. */
  json?: boolean;
  /** Labels of words; others are shown unchanged. */
  words?: Record<string, string>;
  explained?: Readonly<Record<string, string>>;
  offered?: readonly string[];
  /** Conversion of list elements to lines of text, unless they are text. */
  line?: { show(one: never): string; read(text: string): unknown };
  /** The form requires it, although the API does not. */
  needed?: boolean;
}

/** A field with an input value `In` and an output value `Out`; undefined: never. */
export interface Field<In = unknown, Out = unknown> extends FieldOptions {
  sent?: TSchema;
  /** Replaces `sent` for validation, where `refuse` has better messages. */
  checked?: TSchema;
  shown?: TSchema;
  /** The valid values, as text after the field's name. */
  must: string;
  /** Only the server sets it; input with the unchanged value is accepted. */
  readOnly?: boolean;
  /** Whether a read-only value is the one that was read; default: if they are equal. */
  isEcho?(sent: unknown, read: unknown): boolean;
  take?(value: never): In;
  writeOnly?: boolean;
  /** Whether a value satisfies `must`, if the schema cannot tell. */
  fits?(value: never): boolean;
  /** Further validation beyond the schema; returns a sentence that starts with the field's name. */
  refuse?(value: never, name: string): string | undefined;
  show?(stored: unknown): Out;
}

/** A field without one of the kinds below. */
export const field = <In, Out = undefined>(one: Field<In, Out>) => one;

// biome-ignore lint/suspicious/noExplicitAny: a contract's fields are of any types, and InputOf and RecordOf keep them.
export type Fields = Record<string, Field<any, any>>;

export type InputOf<F extends Fields> = { -readonly [K in keyof F]?: F[K] extends Field<infer In> ? In : never };

/** The column of a field's name, or of a key. */
export const inSnakeCase = (name: string) =>
  name
    .replaceAll("_", "")
    .replace(/(?<=[a-z\d])[A-Z]/g, "_$&")
    .toLowerCase();

/** A field's key in a row. */
export const keyOf = (name: string, { column }: Pick<FieldOptions, "column">) =>
  column ?? inSnakeCase(name).replace(/_(.)/g, (_, letter) => letter.toUpperCase());

type KeyOf<Name extends string> =
  Name extends Uppercase<Name>
    ? Lowercase<Name>
    : Name extends `${infer One}_${infer Other}`
      ? `${Uncapitalize<One>}${Other}`
      : Uncapitalize<Name>;

type Stored<F extends Fields> = keyof { [K in keyof F as unknown extends InputOf<F>[K] ? never : K]: true };
/** A row: the stored values of its fields, by column. */
export type RowOf<F extends Fields> = { id: string } & {
  [K in Stored<F> & string as K extends "Id" ? never : KeyOf<K>]-?: Exclude<InputOf<F>[K], undefined>;
};

type Shown<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, infer Out> ? Out : never };
export type RecordOf<F extends Fields> = {
  -readonly [K in keyof F as undefined extends Shown<F>[K] ? never : K]: Shown<F>[K];
};

export const NUL_FREE = "^[^\\u0000]*$";
/** Whether it can be stored as text: no NUL, no lone surrogate. */
export function isText(value: unknown, max = Number.POSITIVE_INFINITY): value is string {
  return typeof value === "string" && value.length <= max && !value.includes("\0") && value.isWellFormed();
}
/**
 * Normalizes typed text: NFC, ordinary spaces (as in RFC 8265's OpaqueString), no zero-width characters, and no white
 * space or direction marks at its ends. Applied to stored texts, look-ups and filters, so text that looks the same is
 * the same.
 */
export const asTyped = (text: string): string =>
  text
    .replace(WITHOUT_WIDTH, "")
    .replace(/\p{Zs}/gu, " ")
    .normalize("NFC")
    .replace(ENDS, "");
/** Meaningless anywhere; joiners are kept for Persian, Indian scripts and emoji. */
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g;
const ENDS = /^[\s\p{Bidi_Control}]+|[\s\p{Bidi_Control}]+$/gu;
export const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
const UUID_OR_EMPTY = "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$";
/** A reference to a record (docs/behaviour.md "Foreign keys"). */
export const ABSTRACT_LONG = Type.Unsafe<object>({ $ref: "#/components/schemas/AbstractLong" });
export const ABSTRACT_TEXT = Type.Unsafe<object>({ $ref: "#/components/schemas/AbstractText" });
export const orNull = <S extends TSchema>(schema: S, options?: SchemaOptions) =>
  Type.Union([schema, Type.Null()], options);
/** @template Id the response's own id type */
export const uuid = <Id extends string = string>(description?: string) =>
  Type.String({ format: "uuid", ...(description && { description }) }) as TString & { static: Id };
export const time = (description?: string) => Type.String({ format: "date-time", ...(description && { description }) });
export const word = <const W extends string>(words: readonly W[], options?: SchemaOptions) =>
  Type.Unsafe<W>(
    Type.Union(
      words.map((one) => Type.Literal(one)),
      options,
    ),
  );

/** A record's own Id; if empty, the record is new or found by a different field. */
export function id<Id extends string = string>(whose: string, options: FieldOptions): Field<Id | undefined, Id> {
  return {
    ...options,
    sent: orNull(Type.String({ pattern: UUID_OR_EMPTY })),
    shown: uuid<Id>(),
    must: `must be ${whose} Id, or empty.`,
    take: (value: string | null) => (value?.toLowerCase() as Id) || undefined,
  };
}

export function requiredText(max: number, options: FieldOptions): Field<string, string> {
  return {
    ...options,
    sent: Type.String({ minLength: 1, maxLength: max, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" }),
    shown: Type.String({ minLength: 1, maxLength: max }),
    must: `must be a string of 1 to ${max} characters.`,
    fits: (value: string) => asTyped(value) !== "",
    take: asTyped,
    required: true,
  };
}

/** Empty and null both delete the value; output is "". */
export function text(max: number, options: FieldOptions): Field<string | null, string> {
  return {
    ...options,
    sent: orNull(Type.String({ maxLength: max, pattern: NUL_FREE })),
    shown: Type.String({ maxLength: max, default: "" }),
    must: `must be a string of at most ${max} characters, or null.`,
    take: (value: string | null) => (value && asTyped(value)) || null,
    show: (stored) => (stored as string | null) ?? "",
  };
}

const DATE_SHAPE = "a date such as 2026-01-31 or 2026-01-31T12:00:00Z";

/** A day, or a time with offset. */
export function moment(options: FieldOptions): Field<Date> {
  const fits = (value: string) => readDate(value) !== undefined;
  return {
    ...options,
    sent: Type.String(),
    must: `must be ${DATE_SHAPE}.`,
    fits,
    take: (value: string) => readDate(value)!,
  };
}

/** Empty and null both mean none. */
export function momentOrNull(options: FieldOptions): Field<Date | null> {
  return {
    ...options,
    sent: orNull(Type.String()),
    must: `must be ${DATE_SHAPE}, or null.`,
    fits: (value: string | null) => !value || readDate(value) !== undefined,
    take: (value: string | null) => (value && readDate(value)) || null,
  };
}

export function flag(options: FieldOptions): Field<boolean, boolean> {
  return { blank: false, ...options, sent: Type.Boolean(), shown: Type.Boolean(), must: "must be true or false." };
}

/** null: the default applies. */
export function integer(
  min: number,
  max: number,
  unit: string,
  options: FieldOptions,
): Field<number | null, number | null> {
  const schema = orNull(Type.Integer({ format: "int32", minimum: min, maximum: max }));
  const what = unit ? `a whole number of ${unit}` : "a whole number";
  return { ...options, sent: schema, shown: schema, must: `must be ${what} from ${min} to ${max}, or null.` };
}

export function oneOf<const W extends string>(words: readonly W[], options: FieldOptions): Field<W, W> {
  return { blank: words[0], ...options, sent: word(words), shown: word(words), must: `must be ${words.join(" or ")}.` };
}

/** One of the words; "" and null: none. */
export function oneOrNone<const W extends string>(words: readonly W[], options: FieldOptions): Field<W | null, W | ""> {
  const schema = word(["", ...words]);
  return {
    ...options,
    sent: schema,
    checked: orNull(schema),
    shown: schema,
    must: `must be ${words.join(" or ")}, or empty.`,
    take: (value: W | "" | null) => value || null,
    show: (stored) => (stored as W | null) ?? "",
  };
}

/** At least one; duplicates are removed. */
export function someOf<const W extends string>(words: readonly W[], options: FieldOptions): Field<W[], W[]> {
  const schema = Type.Array(word(words), { minItems: 1 });
  const must = `must be a list with at least one of ${words.join(", ")}.`;
  return { ...options, sent: schema, shown: schema, must, take: (value: W[]) => [...new Set(value)] };
}

/** @param shown the output's schema */
export function readOnly<S extends TSchema>(shown: S, options: FieldOptions): Field<unknown, Static<S>> {
  return { ...options, shown, sent: shown, readOnly: true, must: "cannot be set." };
}

export const SET_BY_SERVER = "is set by the server and cannot be changed.";

export const serverTime = (options: FieldOptions): Field<unknown, string> => ({
  ...readOnly(time(), options),
  must: SET_BY_SERVER,
  isEcho: (sent, read) => sent === null || sent === read,
  show: (stored) => (stored as Date).toISOString(),
});

/** The same, before it is set. */
export const serverTimeOrNull = (options: FieldOptions): Field<unknown, string | null> => ({
  ...readOnly(orNull(time()), options),
  show: (stored) => (stored as Date | null)?.toISOString() ?? null,
});

/** The form field's kind: `words` are selected from known values, `texts` are typed. */
type FormKind = "text" | "number" | "flag" | "word" | "words" | "texts" | "lines" | "json";

const KINDS = new Map<unknown, FormKind>([
  ["object", "lines"],
  ["integer", "number"],
  ["boolean", "flag"],
]);

export function kindOf({ sent, form }: Field): { kind: FormKind; words: string[] } {
  if (form?.json) return { kind: "json", words: [] };
  const schema = sent?.anyOf?.find((one: TSchema) => one.type !== "null" && one.const === undefined) ?? sent;
  const wordsOf = (of: TSchema | undefined): string[] => of?.anyOf?.flatMap((one: TSchema) => one.const ?? []) ?? [];
  const [ofOne, ofEach] = [wordsOf(schema), wordsOf(schema?.items)];
  const type = [schema?.type].flat().find((one) => one !== "null");
  if (type === "array") return { kind: ofEach.length > 0 ? "words" : "texts", words: ofEach };
  return { kind: KINDS.get(type) ?? (ofOne.length > 0 ? "word" : "text"), words: ofOne };
}
