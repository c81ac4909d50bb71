import type { Queries } from "../db/sql.ts";
import type { SealedColumn, Vault } from "../vault.ts";

/**
 * Seals by the master key what only a previous one opens, value by value, while others go on. Once it is through, none
 * is left; when it was broken off, it can be begun again.
 * @returns how many values were sealed anew
 * @throws WrongMasterKey if a value opens by none of its keys
 */
export async function resealColumn(sql: Queries, vault: Vault, column: SealedColumn): Promise<number> {
  const seal = vault.sealFor(column.purpose);
  let total = 0;
  for (;;) {
    const stale = (await listSealed(sql, column)).flatMap((stored) => {
      const resealed = seal.renew(stored.value);
      return resealed ? [{ stored, resealed }] : [];
    });
    if (stale.length === 0) return total;
    for (const { stored, resealed } of stale) {
      if (await replaceSealed(sql, column, stored, resealed)) total++;
    }
  }
}

/** A sealed value, and where its row stands until somebody changes it. */
export interface SealedValue {
  at: string;
  value: Uint8Array;
}

/** Of all tenants: a master key is the installation's. */
async function listSealed(sql: Queries, { table, column }: SealedColumn): Promise<SealedValue[]> {
  return sql<SealedValue[]>`
    select ctid::text as at, ${sql(column)} as value from ${sql(table)} where ${sql(column)} is not null`;
}

/** @returns false if somebody has changed the row meanwhile */
async function replaceSealed(
  sql: Queries,
  { table, column }: SealedColumn,
  { at, value }: SealedValue,
  resealed: Buffer,
): Promise<boolean> {
  const updated = await sql`
    update ${sql(table)} set ${sql(column)} = ${resealed}
    where ctid = ${at}::tid and ${sql(column)} = ${Buffer.from(value)}`;
  return updated.count > 0;
}
