import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

/** What a user has allowed an application. */
export interface Consent {
  clientId: number;
  clientName: string;
  clientExternalId: string;
  scopes: string[];
  grantedOn: Date;
}

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

/** By the clients' ids; one more than the limit, if there are more. */
export async function listConsents(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  limit: number,
  after: string | undefined,
): Promise<Consent[]> {
  return sql<Consent[]>`
    select ${columns(sql)} from consents c join applications a on a.id = c.client_id
    where c.tenant_id = ${tenantId} and c.user_id = ${userId} and c.client_id > ${after ?? 0}::bigint
    order by c.client_id limit ${limit + 1}`;
}

export async function lockConsent(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
): Promise<Consent | undefined> {
  const [row] = await sql<Consent[]>`
    select ${columns(sql)} from consents c join applications a on a.id = c.client_id
    where c.tenant_id = ${tenantId} and c.user_id = ${userId}::bigint and c.client_id = ${clientId} for update of c`;
  return row;
}

/** With it go the codes that are on their way. */
export async function deleteConsent(sql: Queries, tenantId: TenantId, userId: number, clientId: number): Promise<void> {
  await sql`
    with codes as (
      update authorization_codes set expires_on = now()
      where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId} and expires_on > now()
    )
    delete from consents where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId}`;
}

export async function isUser(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  return (await sql`select from users where tenant_id = ${tenantId} and id = ${userId}::bigint`).length > 0;
}

const columns = (sql: Queries) => sql`
  c.client_id as "clientId", coalesce(a.name, '') as "clientName", coalesce(a.external_id, '') as "clientExternalId",
  c.scopes, c.granted_on as "grantedOn"`;
