// A page of a list, filled with what its caller may read.

import { createHmac } from "node:crypto";
import { BadInput } from "../../errors.ts";
import { MAX_LIMIT, type Paging } from "../../http/query.ts";
import type { Vault } from "../../vault.ts";
import type { Action } from "../scopes.ts";

/**
 * Rows that one request looks at. Where so many in a row are hidden, the page ends early, and its Next goes on. Cursors
 * decides the exact number: a caller who knew it could tell from Next whether one more hidden row matches a filter.
 */
export const MIN_ROWS_READ = 1_000;
export const MAX_ROWS_READ = 2_000;
/** Rows that a look-up of one record looks at; it does not find what stands behind them. */
export const MAX_LOOKUP_ROWS = 10_000;

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
  /** The record that a row is of, which its reader has to see too; null: it is of none. */
  of?: { type: string; id(row: Row): string | null };
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
  for (let looked = 0, take = limit; ; take = Math.min(MAX_LIMIT, most - looked)) {
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

// Cursors of lists: the last id that was looked at, which may be hidden from the caller, so it is sealed.

export interface Cursors {
  /** @param list what the cursor is for: the list, its filters, the tenant and the caller */
  seal(list: readonly string[], id: string): string;
  /** @throws BadInput for one of another list, filter, tenant or caller too */
  open(list: readonly string[], cursor: string): string;
  /** How many rows the request for the page after an id looks at: always as many, and nobody can tell how many. */
  rowsLookedAt(list: readonly string[], after: string | undefined): number;
}

const PURPOSE = "list cursor";
const ROWS_PURPOSE = "rows looked at";
/** The mean of four: what is near an end, which would tell something, is rare. */
const DRAWS = 4;
const DRAW_BYTES = 2;

export function createCursors(vault: Vault): Cursors {
  // Each list has a key of its own: no key seals so many that two of them would share a nonce.
  const sealOf = (list: readonly string[]) => vault.vaultFor(JSON.stringify([PURPOSE, ...list])).sealFor(PURPOSE);
  const [rowsKey] = vault.keysFor(ROWS_PURPOSE);
  return {
    rowsLookedAt(list, after) {
      const digest = createHmac("sha256", rowsKey)
        .update(JSON.stringify([...list, after ?? null]))
        .digest();
      let sum = 0;
      for (let draw = 0; draw < DRAWS; draw++) sum += digest.readUInt16BE(draw * DRAW_BYTES);
      const share = sum / (DRAWS * 2 ** (8 * DRAW_BYTES));
      return MIN_ROWS_READ + Math.floor(share * (MAX_ROWS_READ - MIN_ROWS_READ));
    },
    seal: (list, id) => sealOf(list).seal(id).toString("base64url"),
    open(list, cursor) {
      try {
        return sealOf(list).open(Buffer.from(cursor, "base64url"));
      } catch {
        throw new BadInput("Cursor is not one that this list has given. Leave it out to start again.");
      }
    },
  };
}
