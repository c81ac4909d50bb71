import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Stamped } from "../../fields.ts";
import { recordTable } from "../../table.store.ts";
import { type RoleHolder, rolesHeldBy } from "../roles.store.ts";
import { ROLE, type Role } from "./contract.ts";

type RoleAlone = Omit<Role, "members" | keyof Stamped>;

export const ROLE_TABLE = recordTable<Role>(ROLE, {
  written: (sql, tenantId, { identityProviderId }) =>
    identityProviderId === undefined
      ? {}
      : {
          // null unless it is an IdentityProvider of the tenant.
          identity_provider_id: sql`(select p.id from identity_providers p
            where p.tenant_id = ${tenantId} and p.id = ${identityProviderId}::bigint)`,
        },
});

export async function countRoles(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from roles where tenant_id = ${tenantId}`;
  return row!.count;
}

/** Newest first; one more than the limit, if there are more. */
export function listRolesOf(
  sql: Queries,
  tenantId: TenantId,
  member: RoleHolder,
  limit: number,
  after: string | undefined,
): Promise<Role[]> {
  const condition = sql`and id in (${rolesHeldBy(sql, tenantId, member)})`;
  return ROLE_TABLE.list(sql, tenantId, {}, limit, after, { condition });
}

/** All roles that a user, application or group holds. */
export function listAllRolesOf(sql: Queries, tenantId: TenantId, holder: RoleHolder): Promise<Role[]> {
  return ROLE_TABLE.findWhere(sql, tenantId, sql`id in (${rolesHeldBy(sql, tenantId, holder)})`);
}

/** Without their members. */
export async function listAllRoles(sql: Queries, tenantId: TenantId): Promise<RoleAlone[]> {
  return sql<RoleAlone[]>`
    select id, name, description, scopes, all_users as "allUsers", identity_provider_id as "identityProviderId",
      requires_passkey as "requiresPasskey"
    from roles where tenant_id = ${tenantId} order by id`;
}
