import type { PendingQuery, Row } from "postgres";
import type { Queries } from "../../platform/db/sql.ts";
import { inSnakeCase, type ReferenceList } from "../../platform/http/fields.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isText, TEXT_LIMIT } from "../../platform/text.ts";
import { memberColumn } from "../fields.ts";
import type { Actor } from "./caller.ts";
import type { Uid } from "./decisions/resource-type.ts";

/** As a role lists it. */
export interface RoleHolder {
  type: Actor["type"] | "Group";
  id: number;
}

/**
 * The Ids of the roles of a user, application or group: those that list it or a group that it is in, of all Users, and of
 * the identity providers that a user is linked to. No row is stored for the latter.
 */
export function rolesHeldBy(sql: Queries, tenantId: TenantId, { type, id }: RoleHolder) {
  if (type === "Group") {
    return sql`select m.role_id from role_members m where m.group_id in (select g.id from groups_above(${id}) g)`;
  }
  if (type === "Application") return sql`select m.role_id from role_members m where m.application_id = ${id}`;
  return rolesOfUser(sql, tenantId, id);
}

/** @param id may be a column */
function rolesOfUser(sql: Queries, tenantId: TenantId, id: number | PendingQuery<Row[]>) {
  return sql`
    select m.role_id from role_members m where m.user_id = ${id}
    union all
    select m.role_id from role_members m where m.group_id in (select groups_of(${id}::integer))
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
): Promise<(RoleHolder & { roles: string[] })[]> {
  return sql<(RoleHolder & { roles: string[] })[]>`
    with asked as (
      select id, name, identity_provider_id from roles
      where tenant_id = ${tenantId} and name = any (${possible(roles)}::text[])
    ), held as (
      select m.user_id, m.application_id, b.id as group_id, r.name
      from role_members m join asked r on r.id = m.role_id left join lateral groups_below(m.group_id) b on true
      union
      select g.user_id, null, null, r.name
      from asked r join role_members m on m.role_id = r.id cross join lateral groups_below(m.group_id) b
        join group_members g on g.group_id = b.id and g.user_id is not null
      union
      select i.user_id, null, null, r.name from asked r join identity_providers p on p.id = r.identity_provider_id
        join upstream_identities i on i.tenant_id = ${tenantId} and i.identity_provider_id = p.id
          and i.authority = authority_of(p) and gives_roles(p, i.provisioned)
    )
    select case when user_id is not null then 'User' when group_id is not null then 'Group' else 'Application' end as type,
      coalesce(user_id, application_id, group_id) as id, array_agg(name order by name) as roles
    from held group by user_id, application_id, group_id`;
}

/** A kind of records with members, other than roles; policies name such a record by its Id. */
export interface GroupList extends ReferenceList {
  type: string;
}

const columnOf = (type: string) => `${inSnakeCase(type)}_id`;

/** The records of the kind that list the user or application, and those that list one of these. */
export async function listGroupsOf(
  sql: Queries,
  tenantId: TenantId,
  { type, of, through }: GroupList,
  member: Actor,
): Promise<Uid[]> {
  if (!of.includes(member.type)) return [];
  const key = sql(columnOf(type));
  const above = sql`
    union select m.${key} from held h join ${sql(through)} m on m.${sql(memberColumn(type, type))} = h.id`;
  return sql<Uid[]>`
    with recursive held (id) as (
      select ${key} from ${sql(through)}
      where tenant_id = ${tenantId} and ${sql(memberColumn(type, member.type))} = ${member.id}
      ${of.includes(type) ? above : sql``}
    ) select ${type} as type, id::text from held`;
}

/** The members of these records of the kind, and of records of the kind among them. */
export async function listGroupMembers(
  sql: Queries,
  tenantId: TenantId,
  { type: group, of, through }: GroupList,
  ids: string[],
): Promise<{ type: string; id: number; group: Uid }[]> {
  if (ids.length === 0) return [];
  const key = sql(columnOf(group));
  const below = sql`
    union select b.top, m.${sql(memberColumn(group, group))} from below b join ${sql(through)} m on m.${key} = b.id
    where m.${sql(memberColumn(group, group))} is not null`;
  const found = of.map((type) => {
    const member = sql(memberColumn(group, type));
    return sql<{ type: string; id: number; top: string }[]>`
      with recursive below (top, id) as (
        select ${key}, ${key} from ${sql(through)}
        where tenant_id = ${tenantId} and ${key}::text = any (${ids}::text[])
        ${of.includes(group) ? below : sql``}
      )
      select distinct ${type} as type, m.${member} as id, b.top::text as top
      from below b join ${sql(through)} m on m.${key} = b.id where m.${member} is not null`;
  });
  return (await Promise.all(found)).flat().map(({ top, ...one }) => ({ ...one, group: { type: group, id: top } }));
}

/** Whether a record of the kind has a member. */
export async function hasMembers(
  sql: Queries,
  tenantId: TenantId,
  { through }: Pick<GroupList, "through">,
): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from ${sql(through)} where tenant_id = ${tenantId}) as found`;
  return row!.found;
}

/** The names of a user's groups in their order, at most one more than `limit`. */
export async function listGroupNames(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from groups
    where tenant_id = ${tenantId} and id in (select groups_of(${userId}::integer)) and name is not null
    order by name limit ${limit + 1}`;
  return rows.map(({ name }) => name);
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
