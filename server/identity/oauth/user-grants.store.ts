// Access that users have granted to applications: consents, and live token families. Applications without consent have
// only the latter.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isLiveFamily } from "./tokens/families.store.ts";
import type { UserGrantRow } from "./user-grant.ts";

/** A user's grants by client id, or a client's grants by user id. */
export type GrantsOf = { userId: number } | { clientId: number };

interface Row extends Omit<UserGrantRow, "scopes" | "resources" | "claims"> {
  scopes: string[][];
  resources: string[][];
  claims: string[][];
}

type Condition = ReturnType<typeof isLiveFamily>;

/** One more than the limit if there are more. */
export async function listUserGrants(
  sql: Queries,
  tenantId: TenantId,
  whose: GrantsOf,
  limit: number,
  after: string | undefined,
): Promise<UserGrantRow[]> {
  const isOfUser = "userId" in whose;
  const key = isOfUser ? sql`client_id` : sql`user_id`;
  const next = sql`${key} > ${after ?? 0}::bigint order by id limit ${limit + 1}`;
  const own = isOfUser ? sql`user_id = ${whose.userId}` : sql`client_id = ${whose.clientId}`;
  return grants(
    sql,
    tenantId,
    sql`${own} and ${key} in (
      (select distinct ${key} as id from consents where tenant_id = ${tenantId} and ${own} and ${next})
      union (select distinct ${key} as id from (${families(sql, tenantId)}) f where ${own} and ${next})
      order by id limit ${limit + 1})`,
  );
}

export async function findUserGrant(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
): Promise<UserGrantRow | undefined> {
  const isIt = sql`user_id = ${userId}::bigint and client_id = ${clientId}::bigint`;
  return (await grants(sql, tenantId, isIt))[0];
}

async function grants(sql: Queries, tenantId: TenantId, isAsked: Condition): Promise<UserGrantRow[]> {
  const rows = await sql<Row[]>`
    select g.*, coalesce(u.name, '') as "userName", coalesce(u.external_id, '') as "userExternalId",
      coalesce(a.name, '') as "clientName", coalesce(a.external_id, '') as "clientExternalId"
    from (
      select user_id as "userId", client_id as "clientId", jsonb_agg(scopes) as scopes, jsonb_agg(resources) as resources,
        jsonb_agg(claims) as claims,
        bool_or(is_consent) as consented, min(started_on) as "grantedOn", max(used_on) as "lastUsedOn"
      from (
        select user_id, client_id, scopes, resources, claims, true as is_consent, granted_on as started_on,
          null::timestamptz as used_on
        from consents where tenant_id = ${tenantId} and ${isAsked}
        union all
        select user_id, client_id, scopes, resources, claims, false, started_on, rotated_on
        from (${families(sql, tenantId)}) f where ${isAsked}
      ) parts
      group by user_id, client_id
    ) g join users u on u.id = g."userId" and u.tenant_id = ${tenantId}
      join applications a on a.id = g."clientId" and a.tenant_id = ${tenantId}
    order by "clientId", "userId"`;
  return rows.map(({ scopes, resources, claims, ...row }) => ({
    ...row,
    scopes: [...new Set(scopes.flat())].sort(),
    resources: [...new Set(resources.flat())],
    claims: [...new Set(claims.flat())].sort(),
  }));
}

/** Live families of users, without those of Settings, which end with their sessions. */
const families = (sql: Queries, tenantId: TenantId) => sql`
  select user_id, application_id as client_id, scopes, resources, userinfo_claims as claims, started_on, rotated_on
  from refresh_families f
  where tenant_id = ${tenantId} and user_id is not null and ${isLiveFamily(sql)}
    and application_id is distinct from (select settings_client_id from tenants where id = ${tenantId})`;

/** Also expires unredeemed codes and invalidates open consent pages. @returns whether there was a consent */
export async function deleteConsent(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
): Promise<boolean> {
  const rows = await sql`
    with codes as (
      update authorization_codes set expires_on = now()
      where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId} and expires_on > now()
    ), pages as (
      insert into consent_withdrawals (tenant_id, user_id, client_id, withdrawn_on)
      values (${tenantId}, ${userId}, ${clientId}, now())
      on conflict (tenant_id, user_id, client_id) do update set withdrawn_on = now()
    )
    delete from consents where tenant_id = ${tenantId} and user_id = ${userId} and client_id = ${clientId}
    returning user_id`;
  return rows.length > 0;
}

export async function isUser(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  return (await sql`select from users where tenant_id = ${tenantId} and id = ${userId}::bigint`).length > 0;
}

export async function isApplication(sql: Queries, tenantId: TenantId, applicationId: number): Promise<boolean> {
  return (
    (await sql`select from applications where tenant_id = ${tenantId} and id = ${applicationId}::bigint`).length > 0
  );
}
