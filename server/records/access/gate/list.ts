// A page of a list, filled with readable records.

import { createHmac } from "node:crypto";
import { BadInput } from "../../../platform/errors.ts";
import { MAX_LIMIT, type Paging } from "../../../platform/http/query.ts";
import type { Vault } from "../../../platform/vault.ts";
import type { Action } from "../scopes.ts";

/**
 * The maximum rows examined by one request. After so many hidden rows the page ends early, and its Next continues.
 * Cursors varies the exact number; otherwise Next would reveal whether one more hidden row matches a filter.
 */
export const MIN_ROWS_READ = 1_000;
export const MAX_ROWS_READ = 2_000;
/** The maximum rows examined by a look-up of one record; later ones are not found. */
export const MAX_LOOKUP_ROWS = 10_000;

export interface List<Row, Item> {
  type: string;
  /** The list's name, if it is not the list of all records: cursors are not valid across lists. */
  name?: string;
  paging: Paging;
  /** In the list's order, after this id; one more than the limit, if there are more. */
  read(limit: number, after: string | undefined): Promise<Row[]>;
  id(row: Row): string;
  /** The permission required to see it; default: reading the type. */
  action?: Action;
  /** Callers with this permission also find records that they may not read. */
  orFor?: Action;
  /** Whether policies can decide about the row at all; default: yes. */
  isDecidable?(row: Row): boolean;
  /** The policy resource; default: the item. */
  resource?(row: Row): object | readonly object[];
  item(row: Row): Item;
  /** The record that a row belongs to, which must be visible too; null: none. */
  of?: { type: string; id(row: Row): string | null };
}

export interface Filled<Row> {
  rows: Row[];
  /** The position of the next page; undefined: no further readable row. */
  next: string | undefined;
  /** Whether a further readable row was found within the limit. */
  hasMore: boolean;
  /** The rows before `next` that are not readable. */
  hidden: number;
}

/** `isReadable` is awaited, so other requests are served in between. @param max rows to examine */
export async function fill<Row>(
  { read, id }: Pick<List<Row, unknown>, "read" | "id">,
  { limit, after: start, max }: { limit: number; after: string | undefined; max: number },
  isReadable: (row: Row) => boolean | Promise<boolean>,
): Promise<Filled<Row>> {
  const rows: Row[] = [];
  let after = start;
  let hidden = 0;
  /** Since the last readable row; they belong to the next page if that row ends this one. */
  let skipped = 0;
  for (let looked = 0, take = limit; ; take = Math.min(MAX_LIMIT, max - looked)) {
    const found = await read(take, after);
    for (const row of found) {
      if (await isReadable(row)) {
        // One more than the page: if it exists, there is a next page that starts with a readable record.
        if (rows.length === limit) return { rows, next: id(rows.at(-1)!), hasMore: true, hidden };
        rows.push(row);
        hidden += skipped;
        skipped = 0;
      } else {
        skipped++;
      }
      after = id(row);
    }
    looked += found.length;
    if (found.length <= take) return { rows, next: undefined, hasMore: false, hidden: hidden + skipped };
    if (looked >= max) return { rows, next: after, hasMore: false, hidden: hidden + skipped };
  }
}

// Cursors of lists: the last id that was looked at, which may be hidden from the caller, so it is sealed.

export interface Cursors {
  /** @param list the cursor's list, filters, tenant and caller */
  seal(list: readonly string[], id: string): string;
  /** @throws BadInput for a different list, filter, tenant or caller */
  open(list: readonly string[], cursor: string): string;
  /** The number of rows examined after an id: constant for the id, but unpredictable. */
  rowsLookedAt(list: readonly string[], after: string | undefined): number;
}

const PURPOSE = "list cursor";
const ROWS_PURPOSE = "rows looked at";
/** The mean of four, so that revealing values near the ends are rare. */
const DRAWS = 4;
const DRAW_BYTES = 2;

export function createCursors(vault: Vault): Cursors {
  // Each list has a separate key, so no key seals so many cursors that a nonce could repeat.
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
        throw new BadInput("Cursor is not from this list. Omit it to start again.");
      }
    },
  };
}
