import type { Queries } from "../../platform/db/sql.ts";
import type { SealedColumn, Vault } from "../../platform/vault.ts";

/**
 * Re-seals values that only a previous key opens, one at a time without blocking others. It can be repeated.
 * @returns the number of re-sealed values @throws WrongMasterKey if no key opens a value
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

/** A sealed value with its row's ctid. */
export interface SealedValue {
  at: string;
  value: Uint8Array;
}

/** For all tenants, because the master key belongs to the installation. */
async function listSealed(sql: Queries, { table, column }: SealedColumn): Promise<SealedValue[]> {
  return sql<SealedValue[]>`
    select ctid::text as at, ${sql(column)} as value from ${sql(table)} where ${sql(column)} is not null`;
}

/** @returns false if the row has changed meanwhile */
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
