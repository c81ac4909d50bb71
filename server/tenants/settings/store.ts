import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

export const SECOND_FACTOR_RULES = ["Optional", "Required"] as const;

/** What holds for all of a tenant. */
export interface TenantSettings {
  /** Required: no user signs in without a second factor. */
  secondFactor: (typeof SECOND_FACTOR_RULES)[number];
}

export async function findSettings(sql: Queries, tenantId: TenantId): Promise<TenantSettings> {
  const [row] = await sql<TenantSettings[]>`
    select second_factor as "secondFactor" from tenants where id = ${tenantId}`;
  return row!;
}

export async function lockSettings(sql: Queries, tenantId: TenantId): Promise<TenantSettings> {
  const [row] = await sql<TenantSettings[]>`
    select second_factor as "secondFactor" from tenants where id = ${tenantId} for no key update`;
  return row!;
}

export async function saveSettings(sql: Queries, tenantId: TenantId, settings: TenantSettings): Promise<void> {
  await sql`update tenants set second_factor = ${settings.secondFactor} where id = ${tenantId}`;
}
