import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

/** Tenants whose retention is shorter than the installation's. */
export function listRetentions(sql: Queries): Promise<{ tenantId: TenantId; days: number }[]> {
  return sql<{ tenantId: TenantId; days: number }[]>`
    select id as "tenantId", retention_days as days from tenants where retention_days is not null`;
}

/** Null: as many as the installation. */
export async function findRetentionDays(sql: Queries, tenantId: TenantId): Promise<number | null> {
  const [row] = await sql<{ days: number | null }[]>`select retention_days as days from tenants where id = ${tenantId}`;
  return row!.days;
}
