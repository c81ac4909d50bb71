import { BadInput } from "../errors.ts";
import type { Query } from "./query.ts";

export const DEFAULT_LIMIT = 50;
export const MOST_LIMIT = 200;

/** Every list answers this; Next is the Cursor of the next page. */
export interface Page<Item> {
  Items: Item[];
  Next: string | null;
}

export interface Paging {
  limit: number;
  /** The Next of the page before, as the gate has sealed it. */
  cursor: string | undefined;
  /** All else that was asked for: a cursor goes on with nothing else. */
  filters: string;
}

/**
 * Reads Limit and Cursor.
 * @throws BadInput
 */
export function readPaging(query: Query): Paging {
  const limitText = query.get("Limit") ?? String(DEFAULT_LIMIT);
  const limit = /^\d{1,3}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MOST_LIMIT) throw new BadInput(`Limit must be a whole number from 1 to ${MOST_LIMIT}.`);
  const filters = [...query].filter(([name]) => name !== "Limit" && name !== "Cursor").toSorted();
  return { limit, cursor: query.get("Cursor") || undefined, filters: JSON.stringify(filters) };
}

/** The first page of a list, for who does not ask for another. */
export function firstPage(limit: number): Paging {
  return { limit, cursor: undefined, filters: "" };
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
