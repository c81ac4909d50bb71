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
  /** The last id of the page before. */
  after: string | undefined;
}

/**
 * Reads Limit and Cursor; the cursor is the last id of the page before.
 * @param isId what an id of this list looks like
 * @throws BadInput
 */
export function readPaging(query: Query, isId: (text: string) => boolean = isUuid): Paging {
  const limitText = query.get("Limit") ?? String(DEFAULT_LIMIT);
  const limit = /^\d{1,3}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MOST_LIMIT) throw new BadInput(`Limit must be a whole number from 1 to ${MOST_LIMIT}.`);
  const cursor = query.get("Cursor");
  if (!cursor) return { limit, after: undefined };
  const after = Buffer.from(cursor, "base64url").toString("utf8");
  if (!isId(after)) throw new BadInput("Cursor is not one that a list has given. Leave it out to start again.");
  return { limit, after };
}

/** @param rows one more than the limit, if there are more */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  id: (row: Row) => string,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { Items: shown.map(item), Next: last ? Buffer.from(id(last)).toString("base64url") : null };
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
