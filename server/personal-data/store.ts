import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import type { PERSONAL_ROWS } from "./tables.ts";

/** The rows of a table that are about a User of the tenant. */
export async function readPersonalRows(
  sql: Queries,
  tenantId: TenantId,
  { table, column, through, exported }: (typeof PERSONAL_ROWS)[number],
  userId: number,
): Promise<Record<string, unknown>[]> {
  const about = through
    ? sql`${sql(column)} in (
        select ${sql(through.key)} from ${sql(through.table)} where tenant_id = ${tenantId} and user_id = ${userId})`
    : sql`${sql(column)} = ${userId}`;
  return sql<Record<string, unknown>[]>`select ${sql([...exported])} from ${sql(table)} where ${about}`;
}
