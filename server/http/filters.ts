// Filters of a list that come in its query; an empty one is as good as absent.

import { BadInput } from "../errors.ts";
import { printable } from "./body.ts";
import { readDate } from "./dates.ts";

/**
 * @param known filters and what pages a list
 * @throws BadInput naming the first that is none of them
 */
export function refuseUnknownFilters(query: URLSearchParams, known: string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new BadInput(`${printable(unknown)} is no filter. Filters are ${known.join(", ")}.`);
  }
}

/** @throws BadInput unless it is one of the words */
export function readWord<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  const word = words.find((candidate) => candidate === given);
  if (!word) throw new BadInput(`${name} must be one of ${words.join(", ")}.`);
  return word;
}

/** @throws BadInput unless it is a date, as `readDate` takes it */
export function readMoment(query: URLSearchParams, name: string): Date | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  // The + of an offset that is not written as %2B arrives as a space.
  const date = readDate(given.replace(/ (?=\d\d:\d\d$)/, "+"));
  if (!date) throw new BadInput(`${name} must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.`);
  return date;
}
