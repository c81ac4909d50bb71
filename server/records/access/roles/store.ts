import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Stamped } from "../../fields.ts";
import { recordTable } from "../../table.store.ts";
import type { RecordStore } from "../record-service.ts";
import { type Member, rolesHeldBy } from "../roles.store.ts";
import { ROLE, type Role } from "./contract.ts";

type RoleAlone = Omit<Role, "members" | keyof Stamped>;

export const ROLE_TABLE = recordTable<Role>(ROLE, {
  computed: {
    members: `coalesce((
      select json_agg(json_build_object('type', case when m.user_id is null then 'Application' else 'User' end,
        'id', coalesce(m.user_id, m.application_id)) order by m.user_id, m.application_id)
      from role_members m where m.role_id = roles.id), '[]')`,
  },
  written: (sql, tenantId, { identityProviderId }) =>
    identityProviderId === undefined
      ? {}
      : {
          // null unless it is an IdentityProvider of the tenant.
          identity_provider_id: sql`(select p.id from identity_providers p
            where p.tenant_id = ${tenantId} and p.id = ${identityProviderId}::bigint)`,
        },
});

export const ROLE_STORE: RecordStore<Role> = {
  ...ROLE_TABLE,
  async insert(tx, tenantId, role, actor) {
    const { id } = (await ROLE_TABLE.insert(tx, tenantId, role, actor))!;
    await replaceMembers(tx, tenantId, id, role.members);
    return ROLE_TABLE.find(tx, tenantId, { id });
  },
  async update(tx, tenantId, role, actor, before) {
    const { id, members } = role;
    if (!Bun.deepEquals(members, before.members)) await replaceMembers(tx, tenantId, id, members);
    return ROLE_TABLE.update(tx, tenantId, role, actor);
  },
};

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
  return ROLE_TABLE.list(sql, tenantId, {}, limit, after, sql`and id in (${rolesHeldBy(sql, tenantId, member)})`);
}

/** Without their members. */
export async function listAllRoles(sql: Queries, tenantId: TenantId): Promise<RoleAlone[]> {
  return sql<RoleAlone[]>`
    select id, name, description, scopes, all_users as "allUsers", identity_provider_id as "identityProviderId"
    from roles where tenant_id = ${tenantId} order by id`;
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
