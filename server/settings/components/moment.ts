// Fields for a moment. Without script they are in UTC, and say so; moments.js puts them into the reader's own zone.

import { attribute } from "../../signin/index.ts";

/** Stands in the label; moments.js writes the reader's zone in its place. */
export const UTC = "(UTC)";

/** What an input of the type datetime-local has in common with others of its kind. */
export function inReadersZone(given: string) {
  return { step: "any", "data-utc": UTC, value: attribute(utcField(given)) };
}

/** A moment as the field has it; what is none is left out. */
function utcField(given: string): string {
  const date = new Date(ZONELESS.test(given) ? `${given}Z` : given);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19);
}

/** What a field sends without script has no zone, and is of UTC; anything else stays as it is. */
export function momentInUtc(text: string): string {
  if (!ZONELESS.test(text)) return text;
  return `${text.length === "2026-01-31T12:00".length ? `${text}:00` : text}Z`;
}

const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** The parameters of a list, with those that are moments in UTC. */
export function inUtc(parameters: URLSearchParams, names: readonly string[]): URLSearchParams {
  return new URLSearchParams(
    [...parameters].map(([name, value]) => [name, names.includes(name) ? momentInUtc(value) : value]),
  );
}
