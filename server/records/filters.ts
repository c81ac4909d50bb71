// Filters of an entity's list: its fields, foreign key Ids, and Search.

import { BadInput } from "../errors.ts";
import { type Filter, type Filters, type Query, readText, type Values } from "../http/query.ts";
import type { RecordDeclaration } from "./record.ts";
import type { Narrowed } from "./rows.store.ts";
import { findMatchable, type Matchable, matchables, parseValue, searchables, valueSchema } from "./values.ts";

/** Characters of a Search. */
export const SEARCH_LIMIT = 200;
const SEARCH = "Search";

export function filtersOf(entity: RecordDeclaration): Filters {
  const fields = matchables(entity).map((field): [string, Filter<unknown>] => [field.name, filterBy(field)]);
  return Object.fromEntries<Filter<unknown>>([[SEARCH, searchIn(entity)], ...fields]);
}

/** A filter's name may be written in any case. */
export function filterName(entity: RecordDeclaration, given: string): string | undefined {
  return findMatchable(entity, given)?.name ?? (given.toLowerCase() === SEARCH.toLowerCase() ? SEARCH : undefined);
}

export function wantedBy(entity: RecordDeclaration, given: Values<Filters>): Narrowed {
  const filters = matchables(entity).map(({ name, column }) => [column, given[name]]);
  return { filters: Object.fromEntries(filters), searched: given[SEARCH] as string | undefined };
}

function filterBy(field: Matchable): Filter<unknown> {
  const { name, type } = field;
  return {
    description:
      type === "reference"
        ? `The Id of the record that ${name} references; 0: none.`
        : `Records whose ${name} is this${type === "text" ? "; empty: records without one" : ""}.`,
    schema: valueSchema(type),
    hasValue: true,
    read(query) {
      const text = query.get(name);
      return text === undefined ? undefined : parseValue(field, text);
    },
  };
}

function searchIn(entity: RecordDeclaration): Filter<string | undefined> {
  const names = searchables(entity).map(({ name }) => name);
  return {
    description: `A part, in any case, of ${names.join(" or ")}; empty: all records.`,
    schema: { type: "string", maxLength: SEARCH_LIMIT },
    read(query: Query) {
      const text = readText(query, SEARCH) || undefined;
      if (text !== undefined && text.length > SEARCH_LIMIT) {
        throw new BadInput(`${SEARCH} must have at most ${SEARCH_LIMIT} characters.`);
      }
      return text;
    },
  };
}
