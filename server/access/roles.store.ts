import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import type { Actor } from "./caller.ts";

export interface Member {
  type: "User" | "Application";
  id: number;
}

export async function listRoleNames(sql: Queries, tenantId: TenantId, member: Actor): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select r.name from role_members m join roles r on r.id = m.role_id
    where r.tenant_id = ${tenantId} and ${memberIs(sql, member)} order by r.name`;
  return rows.map((row) => row.name);
}

/** Members of these roles, each with the names of its roles. */
export async function listMembers(
  sql: Queries,
  tenantId: TenantId,
  roles: string[],
): Promise<(Member & { roles: string[] })[]> {
  return sql<(Member & { roles: string[] })[]>`
    select case when m.user_id is null then 'Application' else 'User' end as type,
      coalesce(m.user_id, m.application_id) as id, array_agg(r.name order by r.name) as roles
    from role_members m join roles r on r.id = m.role_id
    where r.tenant_id = ${tenantId} and r.name = any (${roles}::text[])
    group by m.user_id, m.application_id`;
}

export async function listRoleScopes(sql: Queries, tenantId: TenantId, member: Actor): Promise<string[]> {
  const rows = await sql<{ scope: string }[]>`
    select distinct unnest(r.scopes) as scope from role_members m join roles r on r.id = m.role_id
    where r.tenant_id = ${tenantId} and ${memberIs(sql, member)}`;
  return rows.map((row) => row.scope);
}

export async function listApiScopes(sql: Queries, tenantId: TenantId): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select scope->>'name' as name from apis, jsonb_array_elements(scopes) as scope where tenant_id = ${tenantId}`;
  return rows.map((row) => row.name);
}

export function memberIs(sql: Queries, { type, id }: Actor) {
  return type === "User" ? sql`m.user_id = ${id}` : sql`m.application_id = ${id}`;
}
