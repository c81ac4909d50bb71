// Cursors of lists: the last id that was looked at, which may be hidden from the caller, so it is sealed.

import { createHmac } from "node:crypto";
import { BadInput } from "../../errors.ts";
import { derivedKeys, derivedMasterKey, type MasterKey, seal, unseal } from "../../master-key.ts";
import { FEWEST_LOOKED_AT, MOST_LOOKED_AT } from "./list.ts";

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

export function createCursors(masterKey: MasterKey): Cursors {
  // Each list has a key of its own: no key seals so many that two of them would share a nonce.
  const keyOf = (purpose: string) => derivedMasterKey(masterKey, purpose);
  const purposeOf = (list: readonly string[]) => JSON.stringify([PURPOSE, ...list]);
  const [rowsKey] = derivedKeys(masterKey, ROWS_PURPOSE);
  return {
    rowsLookedAt(list, after) {
      const digest = createHmac("sha256", rowsKey!)
        .update(JSON.stringify([...list, after ?? null]))
        .digest();
      let sum = 0;
      for (let draw = 0; draw < DRAWS; draw++) sum += digest.readUInt16BE(draw * DRAW_BYTES);
      const share = sum / (DRAWS * 2 ** (8 * DRAW_BYTES));
      return FEWEST_LOOKED_AT + Math.floor(share * (MOST_LOOKED_AT - FEWEST_LOOKED_AT));
    },
    seal(list, id) {
      const purpose = purposeOf(list);
      return seal(keyOf(purpose), PURPOSE, id).toString("base64url");
    },
    open(list, cursor) {
      try {
        return unseal(keyOf(purposeOf(list)), PURPOSE, Buffer.from(cursor, "base64url"));
      } catch {
        throw new BadInput("Cursor is not one that this list has given. Leave it out to start again.");
      }
    },
  };
}
