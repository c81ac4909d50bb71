import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { type Actor, recordTable } from "../../records/index.ts";
import type { StoredBranding } from "../branding/fields.ts";
import { TENANT_SETTINGS, type TenantSettings, type TenantSettingsInput } from "./contract.ts";

export const TENANT_TABLE = recordTable<TenantSettings>(TENANT_SETTINGS, { owner: "id", more: ["name"] });

/** @param branding by the names of the API @param max of versions that are kept */
export async function insertBranding(
  sql: Queries,
  tenantId: TenantId,
  branding: Record<string, unknown>,
  changed: string[],
  { type, id }: Actor,
  max: number,
): Promise<void> {
  await sql`
    with made as (
      insert into branding_versions (tenant_id, number, branding, changed, saved_by_type, saved_by_id)
      select ${tenantId}, coalesce(max(number), 0) + 1, ${sql.json(branding as never)}, ${changed}::text[], ${type}, ${id}
      from branding_versions where tenant_id = ${tenantId} returning number
    )
    delete from branding_versions v using made where v.tenant_id = ${tenantId} and v.number <= made.number - ${max}`;
}

/** Newest first. */
export async function listBrandings(sql: Queries, tenantId: TenantId): Promise<StoredBranding[]> {
  return sql<StoredBranding[]>`
    select number, changed, saved_on as "savedOn", actor_reference(saved_by_type, saved_by_id) as "savedBy"
    from branding_versions where tenant_id = ${tenantId} order by number desc`;
}

export async function findBranding(
  sql: Queries,
  tenantId: TenantId,
  number: number,
): Promise<TenantSettingsInput | undefined> {
  const [row] = await sql<{ branding: TenantSettingsInput }[]>`
    select branding from branding_versions where tenant_id = ${tenantId} and number = ${number}`;
  return row?.branding;
}
