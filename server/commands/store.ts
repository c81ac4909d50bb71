import type { Queries } from "../db/connection.ts";
import type { SealedColumn } from "../master-key.ts";

/** A sealed value, and where its row stands until somebody changes it. */
export interface SealedValue {
  at: string;
  value: Uint8Array;
}

/** Of all tenants: a master key is the installation's. */
export async function listSealed(sql: Queries, { table, column }: SealedColumn): Promise<SealedValue[]> {
  return sql<SealedValue[]>`
    select ctid::text as at, ${sql(column)} as value from ${sql(table)} where ${sql(column)} is not null`;
}

/** @returns false if somebody has changed the row meanwhile */
export async function replaceSealed(
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
