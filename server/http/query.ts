import { BadInput } from "../errors.ts";
import { printable } from "./body.ts";
import { readDate } from "./dates.ts";

/** A query's parameters by their names. */
export type Query = ReadonlyMap<string, string>;

/**
 * The parameters of a list: each is known and stands in the query once, so that none is ignored.
 * @param known beside PAGING
 * @param nameOf the known name that one is another spelling of
 * @throws BadInput
 */
export function readQuery(
  parameters: URLSearchParams,
  known: readonly string[],
  nameOf: (name: string) => string | undefined = (name) => known.find((candidate) => candidate === name),
): Query {
  const query = new Map<string, string>();
  for (const [given, value] of parameters) {
    const name = PAGING.includes(given) ? given : nameOf(given);
    if (name === undefined) {
      throw new BadInput(`${printable(given)} is no filter. Filters are ${[...PAGING, ...known].join(", ")}.`);
    }
    if (query.has(name)) throw standsTwice(name);
    query.set(name, value);
  }
  return query;
}

/**
 * A parameter where others are ignored.
 * @returns "" if it is absent
 * @throws BadInput if it stands in the query twice
 */
export function readParameter(parameters: URLSearchParams, name: string): string {
  const [value = "", ...more] = parameters.getAll(name);
  if (more.length > 0) throw standsTwice(name);
  return value;
}

/**
 * The value of a filter that is one of some words, undefined if it is absent or empty.
 * @throws BadInput
 */
export function readWord<Word extends string>(query: Query, name: string, words: readonly Word[]): Word | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  const word = words.find((candidate) => candidate === given);
  if (word === undefined) throw new BadInput(`${name} must be one of ${words.join(", ")}.`);
  return word;
}

/**
 * The value of a filter that is a text, undefined if it is absent.
 * @throws BadInput
 */
export function readText(query: Query, name: string): string | undefined {
  const given = query.get(name);
  if (given?.includes("\0")) throw new BadInput(`${name} cannot hold a NUL character.`);
  return given;
}

/**
 * The value of a filter that is a date, as `readDate` takes it; undefined if it is absent or empty.
 * @throws BadInput
 */
export function readMoment(query: Query, name: string): Date | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  // The + of an offset that is not written as %2B arrives as a space.
  const date = readDate(given.replace(/ (?=\d\d:\d\d$)/, "+"));
  if (!date) throw new BadInput(`${name} must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.`);
  return date;
}

/** What every list takes. */
const PAGING = ["Limit", "Cursor"];

function standsTwice(name: string): BadInput {
  return new BadInput(`${name} stands in the query twice.`);
}
