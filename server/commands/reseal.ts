import type { Queries } from "../db/connection.ts";
import { type MasterKey, reseal, type SealedColumn } from "../master-key.ts";
import { listSealed, replaceSealed } from "./store.ts";

/**
 * Seals by the master key what only a previous one opens, value by value, while others go on. Once it is through, none
 * is left; when it was broken off, it can be begun again.
 * @returns how many values were sealed anew
 * @throws WrongMasterKey if a value opens by none of its keys
 */
export async function resealColumn(sql: Queries, masterKey: MasterKey, column: SealedColumn): Promise<number> {
  let total = 0;
  for (;;) {
    const stale = (await listSealed(sql, column)).flatMap((stored) => {
      const resealed = reseal(masterKey, column.purpose, stored.value);
      return resealed ? [{ stored, resealed }] : [];
    });
    if (stale.length === 0) return total;
    for (const { stored, resealed } of stale) {
      if (await replaceSealed(sql, column, stored, resealed)) total++;
    }
  }
}
