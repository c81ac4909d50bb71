import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
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

const columns = (sql: Queries) => sql`r.id, r.name, r.description, r.scopes, r.created_on as "createdOn",
  actor_reference(r.created_by_type, r.created_by_id) as "createdBy", r.modified_on as "modifiedOn",
  actor_reference(r.modified_by_type, r.modified_by_id) as "modifiedBy",
  coalesce((
    select json_agg(json_build_object('type', case when m.user_id is null then 'Application' else 'User' end,
      'id', coalesce(m.user_id, m.application_id)) order by m.user_id, m.application_id)
    from role_members m where m.role_id = r.id), '[]') as members`;

export async function listRoleNames(sql: Queries, tenantId: TenantId, member: Actor): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select r.name from role_members m join roles r on r.id = m.role_id
    where r.tenant_id = ${tenantId} and ${memberIs(sql, member)} order by r.name`;
  return rows.map((row) => row.name);
}

/** Who is in these roles, each member with the names of those it is in. */
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

/** Names of the scopes that APIs of the tenant have. */
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

export async function findRole(
  sql: Queries,
  tenantId: TenantId,
  key: { id: string } | { name: string },
): Promise<Role | undefined> {
  const match = "id" in key ? sql`r.id = ${key.id}` : sql`r.name = ${key.name}`;
  const [row] = await sql<Role[]>`select ${columns(sql)} from roles r where r.tenant_id = ${tenantId} and ${match}`;
  return row;
}

/** Those of the ids that there are. */
export async function findRoles(sql: Queries, tenantId: TenantId, ids: readonly string[]): Promise<Role[]> {
  return sql<Role[]>`
    select ${columns(sql)} from roles r where r.tenant_id = ${tenantId} and r.id = any (${[...ids]}::uuid[])`;
}

/** Newest first; one more than the limit, if there are more. */
export async function listRoles(
  sql: Queries,
  tenantId: TenantId,
  { name, member }: { name?: string; member?: Member },
  limit: number,
  after: string | undefined,
): Promise<Role[]> {
  return sql<Role[]>`
    select ${columns(sql)} from roles r
    where r.tenant_id = ${tenantId} ${after ? sql`and r.id < ${after}` : sql``}
      ${name === undefined ? sql`` : sql`and r.name = ${name}`}
      ${member ? sql`and r.id in (select m.role_id from role_members m where ${memberIs(sql, member)})` : sql``}
    order by r.id desc limit ${limit + 1}`;
}

/** Without their members. */
export async function listAllRoles(sql: Queries, tenantId: TenantId): Promise<(RoleFields & { id: string })[]> {
  return sql<(RoleFields & { id: string })[]>`
    select id, name, description, scopes from roles where tenant_id = ${tenantId} order by id`;
}

type RoleFields = Pick<Role, "name" | "description" | "scopes">;

/** @returns its Id */
export async function insertRole(
  sql: Queries,
  tenantId: TenantId,
  role: RoleFields,
  actor: Actor | undefined,
): Promise<string> {
  const id = Bun.randomUUIDv7();
  await sql`
    insert into roles (id, tenant_id, name, description, scopes, created_by_type, created_by_id, modified_by_type,
      modified_by_id)
    values (${id}, ${tenantId}, ${role.name}, ${role.description}, ${role.scopes}::text[], ${actor?.type ?? null},
      ${actor?.id ?? null}, ${actor?.type ?? null}, ${actor?.id ?? null})`;
  return id;
}

export async function updateRole(
  sql: Queries,
  tenantId: TenantId,
  role: RoleFields & { id: string },
  actor: Actor,
): Promise<void> {
  await sql`
    update roles set name = ${role.name}, description = ${role.description}, scopes = ${role.scopes}::text[],
      modified_on = now(), modified_by_type = ${actor.type}, modified_by_id = ${actor.id}
    where tenant_id = ${tenantId} and id = ${role.id}`;
}

export async function deleteRole(sql: Queries, tenantId: TenantId, id: string): Promise<void> {
  await sql`delete from roles where tenant_id = ${tenantId} and id = ${id}`;
}

/** Those of the members that are no record of the tenant are left out; `members` then has fewer afterwards. */
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
