import type { PendingQuery, Row } from "postgres";
import type { Queries } from "../../platform/db/sql.ts";
import { inSnakeCase, type ReferenceList } from "../../platform/http/fields.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isText, TEXT_LIMIT } from "../../platform/text.ts";
import type { Actor } from "./caller.ts";
import type { Uid } from "./decisions/resource-type.ts";

/**
 * The Ids of a user's or application's roles: those that list it as a member, of all Users, and of the identity providers
 * that a user is linked to. No row is stored for the latter.
 */
export function rolesHeldBy(sql: Queries, tenantId: TenantId, { type, id }: Actor) {
  if (type === "Application") return sql`select m.role_id from role_members m where m.application_id = ${id}`;
  return rolesOfUser(sql, tenantId, id);
}

/** @param id may be a column */
function rolesOfUser(sql: Queries, tenantId: TenantId, id: number | PendingQuery<Row[]>) {
  return sql`
    select m.role_id from role_members m where m.user_id = ${id}
    union all
    select o.id from roles o join users u on u.tenant_id = o.tenant_id
    where o.tenant_id = ${tenantId} and o.all_users and u.id = ${id}
    union all
    select o.id from upstream_identities i join identity_providers p on p.id = i.identity_provider_id
      join roles o on o.tenant_id = i.tenant_id and o.identity_provider_id = p.id
    where i.tenant_id = ${tenantId} and i.user_id = ${id} and i.authority = authority_of(p)
      and gives_roles(p, i.provisioned)`;
}

export async function listRoleNames(sql: Queries, tenantId: TenantId, member: Actor): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from roles
    where tenant_id = ${tenantId} and id in (${rolesHeldBy(sql, tenantId, member)}) order by name`;
  return rows.map((row) => row.name);
}

/** Members of these roles with the names of their roles. The roles of all Users have no members here. */
export async function listMembers(
  sql: Queries,
  tenantId: TenantId,
  roles: string[],
): Promise<(Actor & { roles: string[] })[]> {
  return sql<(Actor & { roles: string[] })[]>`
    with asked as (
      select id, name, identity_provider_id from roles
      where tenant_id = ${tenantId} and name = any (${possible(roles)}::text[])
    ), held as (
      select m.user_id, m.application_id, r.name from role_members m join asked r on r.id = m.role_id
      union
      select i.user_id, null, r.name from asked r join identity_providers p on p.id = r.identity_provider_id
        join upstream_identities i on i.tenant_id = ${tenantId} and i.identity_provider_id = p.id
          and i.authority = authority_of(p) and gives_roles(p, i.provisioned)
    )
    select case when user_id is null then 'Application' else 'User' end as type,
      coalesce(user_id, application_id) as id, array_agg(name order by name) as roles
    from held group by user_id, application_id`;
}

/** A kind of records with members, other than roles; policies name such a record by its Id. */
export interface GroupList extends ReferenceList {
  type: string;
}

const columnOf = (type: string) => `${inSnakeCase(type)}_id`;

/** The records of the kind that list the user or application. */
export async function listGroupsOf(
  sql: Queries,
  tenantId: TenantId,
  { type, of, through }: GroupList,
  member: Actor,
): Promise<Uid[]> {
  if (!of.includes(member.type)) return [];
  return sql<Uid[]>`
    select ${type} as type, ${sql(columnOf(type))}::text as id from ${sql(through)}
    where tenant_id = ${tenantId} and ${sql(columnOf(member.type))} = ${member.id}`;
}

/** The members of these records of the kind. */
export async function listGroupMembers(
  sql: Queries,
  tenantId: TenantId,
  { type: group, of, through }: GroupList,
  ids: string[],
): Promise<{ type: string; id: number; group: Uid }[]> {
  if (ids.length === 0) return [];
  const key = columnOf(group);
  const found = of.map(
    (type) => sql<{ type: string; id: number; group: Uid }[]>`
      select ${type} as type, ${sql(columnOf(type))} as id,
        json_build_object('type', ${group}::text, 'id', ${sql(key)}::text) as group
      from ${sql(through)}
      where tenant_id = ${tenantId} and ${sql(key)}::text = any (${ids}::text[]) and ${sql(columnOf(type))} is not null`,
  );
  return (await Promise.all(found)).flat();
}

/** Those of these roles that all Users have. */
export async function listRolesOfAllUsers(sql: Queries, tenantId: TenantId, roles: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from roles where tenant_id = ${tenantId} and all_users and name = any (${possible(roles)}::text[])`;
  return rows.map((row) => row.name);
}

/** For a statement: an array of the scopes of a user's roles. */
export const scopesOfRoles = (sql: Queries, tenantId: TenantId, userId: number | PendingQuery<Row[]>) => sql`
  array(
    select distinct unnest(scopes) from roles
    where tenant_id = ${tenantId} and id in (${rolesOfUser(sql, tenantId, userId)}))`;

export async function listRoleScopes(sql: Queries, tenantId: TenantId, userId: number): Promise<string[]> {
  const [row] = await sql<{ scopes: string[] }[]>`select ${scopesOfRoles(sql, tenantId, userId)} as scopes`;
  return row!.scopes;
}

/** Those of these names that a role has. */
export async function listRolesNamed(sql: Queries, tenantId: TenantId, names: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from roles where tenant_id = ${tenantId} and name = any (${possible(names)}::text[])`;
  return rows.map((row) => row.name);
}

export async function listApiScopes(sql: Queries, tenantId: TenantId): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select scope->>'name' as name from apis, jsonb_array_elements(scopes) as scope where tenant_id = ${tenantId}`;
  return rows.map((row) => row.name);
}

/** Policies may also name what no role's name can be, such as a text with NUL, which PostgreSQL rejects. */
const possible = (names: string[]) => names.filter((name) => isText(name, TEXT_LIMIT));
