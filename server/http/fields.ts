// Kinds of fields that contracts are made of. Each says what may be sent, what is answered, and what is wrong in words.

import { type SchemaOptions, type Static, type TSchema, type TString, Type } from "@sinclair/typebox";
import { readDate } from "./dates.ts";

/** What is said of a field beside its kind. */
export interface FieldOptions {
  description?: string;
  /** The description where it is answered, if that is another one. */
  answered?: string;
  /** Of an answer. */
  example?: unknown;
  /** A new record needs it. */
  required?: boolean;
  /** What the store calls it; by default its name, beginning with a small letter. */
  column?: string;
  /** Whether the audit log tells of a change: that there was one, or also from what to what. */
  audit?: "name" | "value";
  /** Whether policies may ask for it. */
  judged?: boolean;
  /** How people see it in Settings. */
  form?: FormField;
  /** What stands in the OpenAPI document beside what is checked here. */
  documented?: Record<string, unknown>;
}

export interface FormField {
  label: string;
  hint?: string;
  /** Instead of `hint` where there is a value already. */
  hintOfChange?: string;
  type?: "url" | "email" | "password";
  rows?: number;
  /** It is an object that people write as JSON. */
  json?: boolean;
  /** What people are told of a word, by the word; those that it leaves out stand for themselves. */
  words?: Record<string, string>;
  /** What a word is for, in a sentence below it. */
  explained?: Readonly<Record<string, string>>;
  /** Of its words, those that people can choose. */
  offered?: readonly string[];
  /** How one of a list stands in a line of its own, where it is no text. */
  line?: { show(one: never): string; read(text: string): unknown };
  /** People are asked for it, though the API takes a record without. */
  needed?: boolean;
}

/** A field whose value is an `In` when it is sent and an `Out` when it is answered; undefined: never. */
export interface Field<In = unknown, Out = unknown> extends FieldOptions {
  sent?: TSchema;
  /** Checked in place of `sent`, where `refuse` has better words for the rest. */
  checked?: TSchema;
  shown?: TSchema;
  /** What a value has to be, after the field's name. */
  must: string;
  /** Only the server sets it; who sends it back as it was read is not refused. */
  readOnly?: boolean;
  /** What a value that fits the schema stands for. */
  take?(value: never): In;
  /** It is a secret. */
  writeOnly?: boolean;
  /** Whether a value is what `must` says, where no schema can tell. */
  fits?(value: never): boolean;
  /** What is wrong with a value in ways that no schema says; a sentence that begins with the field's name. */
  refuse?(value: never): string | undefined;
  /** What is answered of what is stored. */
  show?(stored: unknown): Out;
}

/** For one that is of no kind below. */
export const field = <In, Out = undefined>(one: Field<In, Out>) => one;

// biome-ignore lint/suspicious/noExplicitAny: a contract's fields are of any types, and InputOf and RecordOf keep them.
export type Fields = Record<string, Field<any, any>>;

/** What a body may have; absent fields are left alone. */
export type InputOf<F extends Fields> = { -readonly [K in keyof F]?: F[K] extends Field<infer In> ? In : never };

type Shown<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, infer Out> ? Out : never };
/** What is answered. */
export type RecordOf<F extends Fields> = {
  -readonly [K in keyof F as undefined extends Shown<F>[K] ? never : K]: Shown<F>[K];
};

export const NUL_FREE = "^[^\\u0000]*$";
/** Whether it is text that can be stored: no NUL in it, and no half of a surrogate pair. */
export function isText(value: unknown, most = Number.POSITIVE_INFINITY): value is string {
  return typeof value === "string" && value.length <= most && !value.includes("\0") && value.isWellFormed();
}
/**
 * The one form of a text that people type or paste: composed (NFC), each space the usual one (as in RFC 8265's
 * OpaqueString), without what has no width, and without white space and marks of direction at its ends. Each text of each
 * kind of record takes it where it enters, as do look-ups and filters, so that what looks the same is the same.
 */
export const asTyped = (text: string): string =>
  text
    .replace(WITHOUT_WIDTH, "")
    .replace(/\p{Zs}/gu, " ")
    .normalize("NFC")
    .replace(ENDS, "");
/** They say nothing at any place; joiners do, in Persian, in Indian scripts and between emoji. */
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g;
const ENDS = /^[\s\p{Bidi_Control}]+|[\s\p{Bidi_Control}]+$/gu;
export const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
const UUID_OR_EMPTY = "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$";
/** What a record shows of another one (docs/behaviour.md "Foreign keys"). */
export const ABSTRACT_LONG = Type.Unsafe<object>({ $ref: "#/components/schemas/AbstractLong" });
export const ABSTRACT_TEXT = Type.Unsafe<object>({ $ref: "#/components/schemas/AbstractText" });
export const orNull = <S extends TSchema>(schema: S, told?: SchemaOptions) => Type.Union([schema, Type.Null()], told);
/** @template Id what the answer's own type has it as */
export const uuid = <Id extends string = string>(description?: string) =>
  Type.String({ format: "uuid", ...(description && { description }) }) as TString & { static: Id };
export const time = (description?: string) => Type.String({ format: "date-time", ...(description && { description }) });
export const word = <const W extends string>(words: readonly W[], told?: SchemaOptions) =>
  Type.Unsafe<W>(
    Type.Union(
      words.map((one) => Type.Literal(one)),
      told,
    ),
  );

/** A record's own Id; empty: it is found by something else, or is new. */
export function id<Id extends string = string>(whose: string, told: FieldOptions): Field<Id | undefined, Id> {
  return {
    ...told,
    sent: orNull(Type.String({ pattern: UUID_OR_EMPTY })),
    shown: uuid<Id>(),
    must: `must be ${whose} Id, or empty.`,
    take: (value: string | null) => (value?.toLowerCase() as Id) || undefined,
  };
}

/** Neither empty nor blank. */
export function requiredText(most: number, told: FieldOptions): Field<string, string> {
  return {
    ...told,
    sent: Type.String({ minLength: 1, maxLength: most, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" }),
    shown: Type.String({ minLength: 1, maxLength: most }),
    must: `must be a string of 1 to ${most} characters.`,
    fits: (value: string) => asTyped(value) !== "",
    take: asTyped,
    required: true,
  };
}

/** Empty and null are the same, and take it away; it is answered as "". */
export function text(most: number, told: FieldOptions): Field<string | null, string> {
  return {
    ...told,
    sent: orNull(Type.String({ maxLength: most, pattern: NUL_FREE })),
    shown: Type.String({ maxLength: most, default: "" }),
    must: `must be a string of at most ${most} characters, or null.`,
    take: (value: string | null) => (value && asTyped(value)) || null,
    show: (stored) => (stored as string | null) ?? "",
  };
}

const DATE_SHAPE = "a date such as 2026-01-31 or 2026-01-31T12:00:00Z";

/** A day, or a time with its offset. */
export function moment(told: FieldOptions): Field<Date> {
  const fits = (value: string) => readDate(value) !== undefined;
  return {
    ...told,
    sent: Type.String(),
    must: `must be ${DATE_SHAPE}.`,
    fits,
    take: (value: string) => readDate(value)!,
  };
}

/** Empty and null are the same. */
export function momentOrNull(told: FieldOptions): Field<Date | null> {
  return {
    ...told,
    sent: orNull(Type.String()),
    must: `must be ${DATE_SHAPE}, or null.`,
    fits: (value: string | null) => !value || readDate(value) !== undefined,
    take: (value: string | null) => (value && readDate(value)) || null,
  };
}

export function flag(told: FieldOptions): Field<boolean, boolean> {
  return { ...told, sent: Type.Boolean(), shown: Type.Boolean(), must: "must be true or false." };
}

/** null: what holds without it. */
export function integer(
  least: number,
  most: number,
  unit: string,
  told: FieldOptions,
): Field<number | null, number | null> {
  const schema = orNull(Type.Integer({ format: "int32", minimum: least, maximum: most }));
  const what = unit ? `a whole number of ${unit}` : "a whole number";
  return { ...told, sent: schema, shown: schema, must: `must be ${what} from ${least} to ${most}, or null.` };
}

export function oneOf<const W extends string>(words: readonly W[], told: FieldOptions): Field<W, W> {
  return { ...told, sent: word(words), shown: word(words), must: `must be ${words.join(" or ")}.` };
}

/** One or more; each counts once. */
export function someOf<const W extends string>(words: readonly W[], told: FieldOptions): Field<W[], W[]> {
  const schema = Type.Array(word(words), { minItems: 1 });
  const must = `must be a list with at least one of ${words.join(", ")}.`;
  return { ...told, sent: schema, shown: schema, must, take: (value: W[]) => [...new Set(value)] };
}

/** @param shown what is answered */
export function readOnly<S extends TSchema>(shown: S, told: FieldOptions): Field<unknown, Static<S>> {
  return { ...told, shown, sent: shown, readOnly: true, must: "cannot be set." };
}

/** How a form asks for it: `words` are chosen from some that are known, `texts` are typed. */
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
  if (schema?.type === "array") return { kind: ofEach.length > 0 ? "words" : "texts", words: ofEach };
  return { kind: KINDS.get(schema?.type) ?? (ofOne.length > 0 ? "word" : "text"), words: ofOne };
}
