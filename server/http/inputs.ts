// What stands in an endpoint's path and query.

import { type TSchema, Type } from "@sinclair/typebox";
import { NotFound } from "../errors.ts";
import { time, uuid, word } from "./fields.ts";
import { isUuid, type Paging, readPaging } from "./paging.ts";
import { type Query, readMoment, readQuery, readText, readWord } from "./query.ts";
import { readId } from "./record-id.ts";

/** What stands in a path in place of `{Id}`. */
export interface Parameter<T> {
  description: string;
  schema: TSchema;
  examples?: Record<string, { summary: string; value: unknown }>;
  read(text: string): T;
}

/** What a list is filtered by; empty is as good as absent, unless a text can be empty. */
export interface Filter<T> {
  description: string;
  schema: TSchema | JsonSchema;
  /** It is never empty. */
  hasValue?: boolean;
  read(query: Query, name: string): T;
}

export type Parameters = Record<string, Parameter<unknown>>;
export type Filters = Record<string, Filter<unknown>>;
export type Values<P> = { [K in keyof P]: P[K] extends { read(...given: never[]): infer T } ? T : never };

/** JSON Schema 2020-12, of what is not checked by it. */
type JsonSchema = Record<string, unknown>;

/** What a list is asked for: its filters, and which page. @throws BadInput */
export function readAsked<Q extends Filters>(
  filters: Q,
  parameters: URLSearchParams,
  nameOf?: (given: string) => string | undefined,
): Asked<Q> {
  const names = Object.keys(filters);
  const query = readQuery(parameters, names, nameOf);
  const values = names.map((name) => [name, filters[name]!.read(query, name)]);
  return { filters: Object.fromEntries(values), paging: readPaging(query) };
}

export interface Asked<Q> {
  filters: Values<Q>;
  paging: Paging;
}

/** @param type the record's, for the words of the 404 to what none can have as its Id */
export function uuidParameter(description: string, type: string): Parameter<string> {
  return {
    description,
    schema: uuid(),
    read(text) {
      if (!isUuid(text)) throw new NotFound(`There is no ${type} with this Id.`);
      return text;
    },
  };
}

const ID_PATTERN = "^[1-9][0-9]{0,15}$";

/** The Id of an entity's record. */
export function idParameter(description: string, entity: string): Parameter<number> {
  return { description, schema: Type.String({ pattern: ID_PATTERN }), read: (text) => readId(entity, text) };
}

/** The Id of an entity's record, which the service looks at: it has the words for what is none. */
export function idTextParameter(description: string): Parameter<string> {
  return textParameter(description, Type.String({ pattern: ID_PATTERN }));
}

/** A path's text that its handler looks at. */
export function textParameter(
  description: string,
  schema: TSchema = Type.String(),
  examples?: Parameter<string>["examples"],
): Parameter<string> {
  return { description, schema, examples, read: (text) => text };
}

export function textFilter(description: string, schema: TSchema = Type.String()): Filter<string | undefined> {
  return { description, schema, read: readText };
}

export function wordFilter<const W extends string>(words: readonly W[], description: string): Filter<W | undefined> {
  return { description, schema: word(words), read: (query, name) => readWord(query, name, words) };
}

export function momentFilter(description: string): Filter<Date | undefined> {
  return { description, schema: time(), read: readMoment };
}
