import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";

/** Tenants that keep their log for fewer days than the installation. */
export function listRetentions(sql: Queries): Promise<{ tenantId: TenantId; days: number }[]> {
  return sql<{ tenantId: TenantId; days: number }[]>`
    select id as "tenantId", retention_days as days from tenants where retention_days is not null`;
}
