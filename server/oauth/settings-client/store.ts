import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

/** @returns the Id of the Application by which people sign in to Settings, null if there is none yet */
export async function findSettingsClient(sql: Queries, tenantId: TenantId): Promise<number | null> {
  const [row] = await sql<{ id: number | null }[]>`select settings_client_id as id from tenants where id = ${tenantId}`;
  return row!.id;
}

/** As `findSettingsClient`; until the transaction ends, nobody else sets it. */
export async function lockSettingsClient(sql: Queries, tenantId: TenantId): Promise<number | null> {
  const [row] = await sql<{ id: number | null }[]>`
    select settings_client_id as id from tenants where id = ${tenantId} for no key update`;
  return row!.id;
}

export async function saveSettingsClient(sql: Queries, tenantId: TenantId, applicationId: number): Promise<void> {
  await sql`update tenants set settings_client_id = ${applicationId} where id = ${tenantId}`;
}
