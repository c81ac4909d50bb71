// Filters of an entity's list: its fields, foreign key Ids, and Search.

import { type Filter, type Filters, type Query, readText, type Values, wordFilter } from "../platform/http/query.ts";
import type { Declaration } from "./record.ts";
import type { Narrowed } from "./rows.store.ts";
import { SELF_MADE, selfMadeFilter } from "./self-made.ts";
import { type Matchable, matchables, parseValue, searchables, valueSchema } from "./values.ts";

/** The maximum number of characters of a Search. */
export const SEARCH_LIMIT = 200;
const SEARCH = "Search";
const SORT = "Sort";
/** Sorting by other fields would need an index for each. */
const SORTS = ["Id", "-Id"];

export function filtersOf(entity: Declaration): Filters {
  const fields = matchables(entity).map((field): [string, Filter<unknown>] => [field.name, filterBy(field)]);
  const { selfMade } = entity;
  const made: typeof fields = selfMade ? [[SELF_MADE, selfMadeFilter(selfMade)]] : [];
  const names = searchables(entity).map(({ name }) => name);
  return Object.fromEntries<Filter<unknown>>([
    [SEARCH, searchFilter(names)],
    ...fields,
    ...made,
    [SORT, sortFilter(SORTS)],
  ]);
}

export function wantedBy(entity: Declaration, given: Values<Filters>): Narrowed {
  const filters = matchables(entity).map(({ name, column }) => [column, given[name]]);
  const asked = given as { [SEARCH]?: string; [SELF_MADE]?: boolean; [SORT]?: string };
  const { [SEARCH]: searched, [SELF_MADE]: isSelfMade, [SORT]: sort } = asked;
  return { filters: Object.fromEntries(filters), searched, isSelfMade, sort };
}

function filterBy(field: Matchable): Filter<unknown> {
  const { name, type } = field;
  return {
    description:
      type === "reference"
        ? `The Id of the record that ${name} references; 0: none.`
        : `Records whose ${name} is this${type === "text" ? "; empty: records without one" : ""}.`,
    schema: valueSchema(field),
    hasValue: true,
    read(query) {
      const text = query.get(name);
      return text === undefined ? undefined : parseValue(field, text);
    },
  };
}

/** @param names the fields that are searched */
export function searchFilter(names: readonly string[]): Filter<string | undefined> {
  return {
    description: `A part of ${names.join(" or ")}, ignoring case and accents; empty: all records.`,
    schema: { type: "string", maxLength: SEARCH_LIMIT },
    read(query: Query) {
      return readText(query, SEARCH, SEARCH_LIMIT) || undefined;
    },
  };
}

/** @param sorts the default first */
export const sortFilter = (sorts: readonly string[]) =>
  wordFilter(sorts, `The order; with a minus: descending. Default: ${sorts[0]}.`);
