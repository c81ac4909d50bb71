import type { Queries, Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { AttributeDefinition } from "./attributes.ts";

export async function findUserAttributes(sql: Queries, tenantId: TenantId): Promise<AttributeDefinition[]> {
  const [tenant] = await sql<{ definitions: AttributeDefinition[] }[]>`
    select user_attributes as definitions from tenants where id = ${tenantId}`;
  return tenant!.definitions;
}

const held = new WeakMap<Transaction, Promise<AttributeDefinition[]>>();

/** The same; until the transaction ends, other changes of them wait. */
export function holdUserAttributes(tx: Transaction, tenantId: TenantId): Promise<AttributeDefinition[]> {
  const hold = async () => {
    await tx`select from tenants where id = ${tenantId} for share`;
    return findUserAttributes(tx, tenantId);
  };
  const known = held.get(tx) ?? hold();
  held.set(tx, known);
  return known;
}

export async function countUsersWith(sql: Queries, tenantId: TenantId, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const [row] = await sql<{ count: number }[]>`
    select count(*) from users where tenant_id = ${tenantId} and attributes ?| ${[...names]}::text[]`;
  return row!.count;
}
