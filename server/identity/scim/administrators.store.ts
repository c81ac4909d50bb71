// Whether a tenant keeps a person who may change its settings.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

const holders = (sql: Queries, tenantId: TenantId) => sql`
  select u.id, u.is_active from roles r join role_members m on m.role_id = r.id
    left join lateral groups_below(m.group_id) b on true left join group_members g on g.group_id = b.id
    join users u on u.id = coalesce(m.user_id, g.user_id)
  where r.tenant_id = ${tenantId} and 'Settings:Update' = any (r.scopes)`;

/** Whether the user is an administrator, and no other active one is left. */
export async function isLastAdministrator(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const [row] = await sql<{ last: boolean }[]>`
    with holders as (${holders(sql, tenantId)})
    select exists (select from holders where id = ${userId})
      and not exists (select from holders where id <> ${userId} and is_active) as last`;
  return row!.last;
}

/** Whether a group makes administrators, and none is active. */
export async function lacksAdministrator(sql: Queries, tenantId: TenantId, groupId: number): Promise<boolean> {
  const [row] = await sql<{ lacking: boolean }[]>`
    select exists (
      select from role_members m join roles r on r.id = m.role_id
      where r.tenant_id = ${tenantId} and 'Settings:Update' = any (r.scopes)
        and m.group_id in (select a.id from groups_above(${groupId}) a))
      and not exists (select from (${holders(sql, tenantId)}) h where h.is_active) as lacking`;
  return row!.lacking;
}
