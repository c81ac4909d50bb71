import { type TSchema, Type } from "@sinclair/typebox";
import { BadInput, NotFound } from "../errors.ts";
import { asTyped, MAX_TEXT, TEXT_LIMIT } from "../text.ts";
import { printable } from "./body.ts";
import { readDate } from "./dates.ts";
import { time, uuid, word } from "./fields.ts";

export interface Parameter<T> {
  description: string;
  schema: TSchema;
  examples?: Record<string, { summary: string; value: unknown }>;
  read(text: string): T;
}

/** A list filter; an empty value counts as absent, unless an empty text is a valid value. */
export interface Filter<T> {
  description: string;
  schema: TSchema | JsonSchema;
  hasValue?: boolean;
  read(query: Query, name: string): T;
}

export type Parameters = Record<string, Parameter<unknown>>;
export type Filters = Record<string, Filter<unknown>>;
export type Values<P> = { [K in keyof P]: P[K] extends { read(...given: never[]): infer T } ? T : never };

type JsonSchema = Record<string, unknown>;

/** Parses a list's filters and page. @throws BadInput */
export function readAsked<Q extends Filters>(filters: Q, parameters: URLSearchParams, anyCase?: boolean): Asked<Q> {
  const names = Object.keys(filters);
  const query = readQuery(parameters, names, anyCase);
  const values: Record<string, unknown> = Object.fromEntries(
    names.map((name) => [name, filters[name]!.read(query, name)]),
  );
  requireSpan(values);
  return { filters: values as Values<Q>, paging: readPaging(query) };
}

/** @throws BadInput for an empty time range; From is inclusive, To exclusive */
function requireSpan({ From, Last, To, OutcomeFrom, OutcomeTo }: Record<string, unknown>): void {
  if (OutcomeFrom instanceof Date && OutcomeTo instanceof Date && OutcomeFrom >= OutcomeTo) {
    throw new BadInput("OutcomeFrom must be before OutcomeTo.");
  }
  if (!(To instanceof Date)) return;
  if (From instanceof Date && From >= To) throw new BadInput("From must be before To.");
  if (Last instanceof Date && Last >= To) throw new BadInput("To must be within the period of Last.");
}

export interface Asked<Q> {
  filters: Values<Q>;
  paging: Paging;
}

/** @param type the record's type, for the 404 of an invalid Id */
export function uuidParameter<Id extends string>(description: string, type: string): Parameter<Id> {
  return {
    description,
    schema: uuid(),
    read(text) {
      if (!isUuid<Id>(text)) throw new NotFound(`There is no ${type} with this Id.`);
      return text;
    },
  };
}

const ID_PATTERN = "^[1-9][0-9]{0,15}$";

export function idParameter(description: string, entity: string): Parameter<number> {
  return { description, schema: Type.String({ pattern: ID_PATTERN }), read: (text) => readId(entity, text) };
}

/** The Id of an entity's record, checked by the service, which has its own error message. */
export function idTextParameter(description: string): Parameter<string> {
  return textParameter(description, Type.String({ pattern: ID_PATTERN }));
}

export function textParameter(
  description: string,
  schema: TSchema = Type.String(),
  examples?: Parameter<string>["examples"],
): Parameter<string> {
  return { description, schema, examples, read: (text) => text };
}

/** @param field with minLength, an empty value is rejected */
export function textFilter(
  description: string,
  field: TSchema = Type.String({ maxLength: TEXT_LIMIT }),
): Filter<string | undefined> {
  // An absent filter has no value, so the field's default is dropped.
  const { default: _, ...schema } = field;
  const { minLength = 0, maxLength = TEXT_LIMIT } = schema;
  return {
    description,
    schema,
    hasValue: minLength > 0,
    read(query, name) {
      const text = readText(query, name, maxLength);
      if (text !== undefined && text.length < minLength) throw new BadInput(`${name} must not be empty.`);
      return text;
    },
  };
}

export interface WordFilter<W extends string> extends Filter<W | undefined> {
  words: readonly W[];
}

export function wordFilter<const W extends string>(words: readonly W[], description: string): WordFilter<W> {
  return { words, description, schema: word(words), read: (query, name) => readWord(query, name, words) };
}

export function flagFilter(description: string): Filter<boolean | undefined> {
  return {
    description,
    schema: Type.Boolean(),
    read(query, name) {
      const given = readWord(query, name, ["true", "false"]);
      return given === undefined ? undefined : given === "true";
    },
  };
}

export function countFilter(max: number, description: string): Filter<number | undefined> {
  return {
    description,
    schema: Type.Integer({ format: "int32", minimum: 1, maximum: max }),
    read(query, name) {
      const text = readText(query, name);
      return text ? readCount(name, text, 1, max) : undefined;
    },
  };
}

/** @param usual its value if it is absent */
export function countParameter(
  name: string,
  { min, max, usual }: Record<"min" | "max" | "usual", number>,
  description: string,
): Parameter<number> {
  return {
    description: `${description} By default ${usual}.`,
    schema: Type.Integer({ format: "int32", minimum: min, maximum: max, default: usual }),
    read: (text) => (text === "" ? usual : readCount(name, text, min, max)),
  };
}

function readCount(name: string, text: string, min: number, max: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (count < min || count > max) throw new BadInput(`${name} must be a whole number from ${min} to ${max}.`);
  return count;
}

/** Matches a record of any type or only of entities. @param needs the filter that is also required */
export function recordIdFilter(
  description: string,
  { needs, ofEntity }: { needs?: string; ofEntity?: boolean } = {},
): Filter<string | undefined> {
  return {
    description,
    schema: Type.String(ofEntity ? { pattern: ID_PATTERN } : {}),
    read(query, name) {
      const given = query.get(name);
      if (!given) return undefined;
      const isId = toRecordId(given) !== undefined || (!ofEntity && isUuid(given));
      if (!isId) throw new BadInput(`${name} must be a record's Id.`);
      if (needs && !query.get(needs)) throw new BadInput(`${name} needs ${needs} as well.`);
      return given.toLowerCase();
    },
  };
}

export function momentFilter(description: string): Filter<Date | undefined> {
  return { description, schema: time(), read: readMoment };
}

const LAST = /^([1-9]\d{0,3})([mhd])$/;
const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time range that ends now. All pages of a list use the same value, so cursors stay valid. */
export function lastFilter(description: string): Filter<Date | undefined> {
  return {
    description,
    schema: Type.String({ pattern: LAST.source, examples: ["15m", "24h", "7d"] }),
    read(query, name) {
      const given = query.get(name);
      if (!given) return undefined;
      const [, count, unit] = LAST.exec(given) ?? [];
      if (count === undefined) throw new BadInput(`${name} must be a time such as 15m, 24h or 7d.`);
      return new Date(Date.now() - Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS]);
    },
  };
}

/** The later of From and Last, because both apply. */
export function laterOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other ? new Date(Math.max(one.getTime(), other.getTime())) : (one ?? other);
}

export type Query = ReadonlyMap<string, string>;

/**
 * Rejects unknown and repeated parameters of a list. @throws BadInput
 * @param known names beyond PAGING @param anyCase of their letters
 */
export function readQuery(parameters: URLSearchParams, known: readonly string[], anyCase = false): Query {
  const formOf = (name: string) => (anyCase ? name.toLowerCase() : name);
  const query = new Map<string, string>();
  for (const [given, value] of parameters) {
    const name = Object.hasOwn(PAGING, given) ? given : known.find((one) => formOf(one) === formOf(given));
    if (name === undefined) {
      throw new BadInput(
        `${printable(given) || '""'} is not a filter. Filters are ${[...Object.keys(PAGING), ...known].join(", ")}.`,
      );
    }
    if (query.has(name)) throw standsTwice(name);
    requireShort(name, value);
    query.set(name, value);
  }
  return query;
}

/** E-mail addresses, telephone numbers and time zones: a space there would be a mistake. */
const WITH_PLUS = /^[^\s@]*\+[^\s@]*@[^\s@]+$|^\+\d[-\d\s().+]*$|^Etc\/GMT\+\d/;
/** An e-mail address has at most 320 characters (RFC 5321 4.5.3.1). */
const PLUS_LENGTH = 320;
const PLUS = "A + in a query is a space: write %2B for a plus sign, or %20 for a space.";

/** Reads a query. @param search percent-encoded @throws BadInput, which explains a + that cannot be a space */
export function explainingPlus<T>(search: string, read: () => T): T {
  if (!search.includes("+")) return read();
  const written = search.replace(/%2b/gi, "_").replaceAll("+", "%2B");
  const given = [...new URLSearchParams(written)].filter(([, value]) => value.includes("+"));
  const [name] = given.find(([, value]) => value.length <= PLUS_LENGTH && WITH_PLUS.test(value)) ?? [];
  if (name !== undefined) throw new BadInput(`${printable(name)} has a + that is read as a space. ${PLUS}`);
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const isOf = (text: string) => given.some(([name]) => text.toLowerCase().startsWith(`${name.toLowerCase()} `));
    throw new BadInput(...error.errors.map((text) => (isOf(text) ? `${text} ${PLUS}` : text)));
  }
}

/** Ignoring a parameter, such as Id, could match a different record than intended. @throws BadInput */
export function requireKnown(parameters: URLSearchParams, known: readonly string[]): void {
  const other = [...parameters.keys()].find((name) => !known.includes(name));
  if (other === undefined) return;
  const has = known.length > 0 ? `The parameters are ${known.join(", ")}` : "There are none";
  throw new BadInput(`${printable(other) || '""'} is not a parameter here. ${has}.`);
}

/** @returns "" if it is absent @throws BadInput if it is repeated */
export function readParameter(parameters: URLSearchParams, name: string): string {
  const [value = "", ...more] = parameters.getAll(name);
  if (more.length > 0) throw standsTwice(name);
  requireShort(name, value);
  return value;
}

function requireShort(name: string, { length }: string): void {
  if (length > MAX_TEXT) throw new BadInput(`${name} has ${length} characters; the limit is ${MAX_TEXT}.`);
}

/** A filter with fixed words; undefined if absent or empty. @throws BadInput */
export function readWord<Word extends string>(query: Query, name: string, words: readonly Word[]): Word | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  const word = words.find((candidate) => candidate === given);
  if (word === undefined) throw new BadInput(`${name} must be one of ${words.join(", ")}.`);
  return word;
}

/** A text filter; undefined if absent. @throws BadInput */
export function readText(query: Query, name: string, max = TEXT_LIMIT): string | undefined {
  const given = query.get(name);
  if (given === undefined) return undefined;
  const { text, problem } = asTyped(given, max);
  if (text === undefined) throw new BadInput(`${name} ${problem}`);
  return text;
}

/** A date filter, as `readDate` parses it; undefined if absent or empty. @throws BadInput */
function readMoment(query: Query, name: string): Date | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  // An unencoded + of an offset arrives as a space.
  const date = readDate(given.replace(/ (?=\d\d:\d\d$)/, "+"));
  if (!date) throw new BadInput(`${name} must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.`);
  return date;
}

function standsTwice(name: string): BadInput {
  return new BadInput(`${name} is repeated in the query.`);
}

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

export const PAGING = {
  Limit: {
    description: "Maximum number of records on a page.",
    schema: Type.Integer({ format: "int32", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
  },
  Cursor: {
    description: "The Next of the previous page, for the same caller, list and filters; empty: the first page.",
    schema: Type.String(),
  },
};

/** The response of every list; Next is the Cursor of the next page. */
export interface Page<Item> {
  Items: Item[];
  Next: string | null;
  /** The records that policies leave out of this page; null: some may be left out, and their number is not told. */
  Hidden: number | null;
}

export interface Paging {
  limit: number;
  /** The previous page's Next, as sealed by the gate. */
  cursor: string | undefined;
  /** All other parameters; a cursor is only valid with the same ones. */
  filters: string;
}

const NO_FILTERS = JSON.stringify([]);

/** Whether a request asked for all records. False for pages that the service reads for itself. */
export function isUnfiltered({ filters }: Paging): boolean {
  return filters === NO_FILTERS;
}

/** Parses Limit and Cursor. @throws BadInput */
export function readPaging(query: Query): Paging {
  const limit = readCount("Limit", query.get("Limit") ?? String(DEFAULT_LIMIT), 1, MAX_LIMIT);
  const filters = [...query].filter(([name]) => name !== "Limit" && name !== "Cursor").toSorted();
  return { limit, cursor: query.get("Cursor") || undefined, filters: JSON.stringify(filters) };
}

export function firstPage(limit: number): Paging {
  return { limit, cursor: undefined, filters: "" };
}

export function isUuid(text: string): boolean;
export function isUuid<Id extends string>(text: string): text is Id;
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Parses a record Id; undefined if no record can have it. */
export function toRecordId(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** @throws NotFound if no record can have this Id */
export function readId(entity: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const id = toRecordId(text);
  if (id === undefined || id > max) throw new NotFound(`There is no ${entity} with this Id.`);
  return id;
}

/** PostgreSQL's largest integer, which a User's Id is. */
const MAX_USER_ID = 2 ** 31 - 1;

/** @throws NotFound if no User can have this Id */
export function readUserId(text: string): number {
  return readId("User", text, MAX_USER_ID);
}
