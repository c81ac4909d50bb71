import type { Queries } from "../../db/sql.ts";
import type { TenantId } from "../../tenant-id.ts";

export async function isConsented(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
  scopes: string[],
): Promise<boolean> {
  const rows = await sql`
    select from consents where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId}
      and scopes @> ${scopes}::text[]`;
  return rows.length > 0;
}

/** All that a user has allowed a client. */
export async function findConsentedScopes(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
): Promise<string[]> {
  const [row] = await sql<{ scopes: string[] }[]>`
    select scopes from consents where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId}`;
  return row?.scopes ?? [];
}

/** Adds to what was allowed before. */
export async function rememberConsent(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
  scopes: string[],
): Promise<void> {
  await sql`
    insert into consents as c (tenant_id, user_id, client_id, scopes)
    values (${tenantId}, ${userId}, ${clientId}, ${scopes}::text[])
    on conflict (tenant_id, user_id, client_id) do update set granted_on = now(),
      scopes = array(select distinct unnest(c.scopes || excluded.scopes))`;
}
