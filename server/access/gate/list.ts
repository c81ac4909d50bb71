// A page of a list, filled with what its caller may read.

import { MOST_LIMIT, type Paging } from "../../http/paging.ts";
import type { Action } from "../scopes.ts";

/**
 * Rows that one request looks at. Where so many in a row are hidden, the page ends early, and its Next goes on. How many
 * it is between the two, Cursors decides: whoever knew could fill up to it with hidden rows, and see by Next whether one
 * more matches a filter.
 */
export const FEWEST_LOOKED_AT = 1_000;
export const MOST_LOOKED_AT = 2_000;
/** Rows that a look-up of one record looks at; it does not find what stands behind them. */
export const MOST_LOOKED_UP = 10_000;

/** A list, as its store gives it. */
export interface List<Row, Item> {
  /** The type of records that policies are asked for. */
  type: string;
  /** Which list it is, where it is not the one of all records of the type: cursors of one are none of another. */
  name?: string;
  paging: Paging;
  /** In the list's order, after this id; one more than the limit, if there are more. */
  read(limit: number, after: string | undefined): Promise<Row[]>;
  id(row: Row): string;
  /** What it takes to see it; by default to read a record of the type. */
  action?: Action;
  /** Who may do this with a record finds it too, though it may not read it. */
  orFor?: Action;
  /** What policies are asked for; by default the item. */
  resource?(row: Row): object | readonly object[];
  item(row: Row): Item;
}

export interface Filled<Row> {
  rows: Row[];
  /** What the next page comes after; undefined: nothing follows that may be read. */
  next: string | undefined;
  /** Whether one follows that may be read, as far as it was looked. */
  hasMore: boolean;
}

/**
 * @param most rows to look at
 * @param isReadable awaited, so that it can let others in between
 */
export async function fill<Row>(
  { read, id }: Pick<List<Row, unknown>, "read" | "id">,
  { limit, after: start, most }: { limit: number; after: string | undefined; most: number },
  isReadable: (row: Row) => boolean | Promise<boolean>,
): Promise<Filled<Row>> {
  const rows: Row[] = [];
  let after = start;
  for (let looked = 0, take = limit; ; take = Math.min(MOST_LIMIT, most - looked)) {
    const found = await read(take, after);
    for (const row of found) {
      if (await isReadable(row)) {
        // One more than the page holds: so there is a next page, and what it begins with may be read.
        if (rows.length === limit) return { rows, next: id(rows.at(-1)!), hasMore: true };
        rows.push(row);
      }
      after = id(row);
    }
    looked += found.length;
    if (found.length <= take) return { rows, next: undefined, hasMore: false };
    if (looked >= most) return { rows, next: after, hasMore: false };
  }
}
