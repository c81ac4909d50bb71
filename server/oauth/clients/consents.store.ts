import type { Queries } from "../../db/sql.ts";
import type { TenantId } from "../../ids.ts";

/** What a user allows a client. */
export interface Consent {
  scopes: string[];
  /** What its tokens may be for. */
  resources: string[];
  /** Names of claims that it may see beside those of the scopes. */
  claims: string[];
}

/** Where its answers may go. */
export interface Destinations {
  destinations: string[];
}

/** All that a user has allowed a client. */
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

/** When the user last took back what the client had been allowed; null: never. */
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

/** Adds to what was allowed before. */
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
