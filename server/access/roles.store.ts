import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import { recordTable } from "../records/index.ts";
import type { Actor } from "./caller.ts";
import type { Stamped } from "./fields.ts";

export interface Member {
  type: "User" | "Application";
  id: number;
}

export interface Role extends Stamped {
  id: string;
  name: string;
  description: string;
  scopes: string[];
  /** Users first, then Applications, each by its Id. */
  members: Member[];
}

export const ROLE_TABLE = recordTable<Role>("roles", {
  names: ["name", "description", "scopes"],
  computed: {
    members: `coalesce((
      select json_agg(json_build_object('type', case when m.user_id is null then 'Application' else 'User' end,
        'id', coalesce(m.user_id, m.application_id)) order by m.user_id, m.application_id)
      from role_members m where m.role_id = roles.id), '[]')`,
  },
  idType: "uuid",
  isStamped: true,
});

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

function memberIs(sql: Queries, { type, id }: Actor) {
  return type === "User" ? sql`m.user_id = ${id}` : sql`m.application_id = ${id}`;
}

export async function countRoles(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from roles where tenant_id = ${tenantId}`;
  return row!.count;
}

/** Newest first; one more than the limit, if there are more. */
export function listRolesOf(
  sql: Queries,
  tenantId: TenantId,
  member: Member,
  limit: number,
  after: string | undefined,
): Promise<Role[]> {
  const isMember = sql`and id in (select m.role_id from role_members m where ${memberIs(sql, member)})`;
  return ROLE_TABLE.list(sql, tenantId, {}, limit, after, isMember);
}

/** Without their members. */
export async function listAllRoles(sql: Queries, tenantId: TenantId): Promise<Omit<Role, "members" | keyof Stamped>[]> {
  return sql<Omit<Role, "members" | keyof Stamped>[]>`
    select id, name, description, scopes from roles where tenant_id = ${tenantId} order by id`;
}

/** Members that are not records of the tenant are dropped; `members` is then shorter. */
export async function replaceMembers(
  sql: Queries,
  tenantId: TenantId,
  roleId: string,
  members: Member[],
): Promise<void> {
  const ids = (type: Member["type"]) => members.filter((member) => member.type === type).map((member) => member.id);
  await sql`delete from role_members where tenant_id = ${tenantId} and role_id = ${roleId}`;
  await sql`
    insert into role_members (tenant_id, role_id, user_id)
    select ${tenantId}, ${roleId}, id from users where tenant_id = ${tenantId} and id = any (${ids("User")}::bigint[])`;
  await sql`
    insert into role_members (tenant_id, role_id, application_id)
    select ${tenantId}, ${roleId}, id from applications
    where tenant_id = ${tenantId} and id = any (${ids("Application")}::bigint[])`;
}
