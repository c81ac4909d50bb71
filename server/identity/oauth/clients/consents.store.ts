import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

export interface Consent {
  scopes: string[];
  resources: string[];
  /** Names of claims allowed beyond those of the scopes. */
  claims: string[];
}

export interface Destinations {
  destinations: string[];
}

export async function findConsent(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
): Promise<(Consent & Destinations) | undefined> {
  const [row] = await sql<(Consent & Destinations)[]>`
    select scopes, resources, claims, destinations from consents
    where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId}`;
  return row;
}

/** When the user last withdrew consent from the client; null: never. */
export async function findWithdrawal(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
): Promise<Date | null> {
  const [row] = await sql<{ withdrawnOn: Date }[]>`
    select withdrawn_on as "withdrawnOn" from consent_withdrawals
    where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId}`;
  return row?.withdrawnOn ?? null;
}

/** Adds to the earlier consent. */
export async function rememberConsent(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
  { scopes, resources, claims, destinations }: Consent & Destinations,
): Promise<void> {
  await sql`
    insert into consents as c (tenant_id, user_id, client_id, scopes, resources, claims, destinations)
    values (${tenantId}, ${userId}, ${clientId},
      ${scopes}::text[], ${resources}::text[], ${claims}::text[], ${destinations}::text[])
    on conflict (tenant_id, user_id, client_id) do update set granted_on = now(),
      scopes = array(select distinct unnest(c.scopes || excluded.scopes)),
      resources = array(select distinct unnest(c.resources || excluded.resources)),
      claims = array(select distinct unnest(c.claims || excluded.claims)),
      destinations = array(select distinct unnest(c.destinations || excluded.destinations))`;
}
