import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

/** Told of every revocation when its transaction commits. */
export const REVOCATION_CHANNEL = "gatehouse_revocation";

/** Refuses one access token from now on. @returns false if it was refused before */
export async function insertRevokedToken(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  expiresOn: Date,
): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    with revoked as (
      insert into revoked_tokens (id, tenant_id, expires_on) values (${id}, ${tenantId}, ${expiresOn})
      on conflict do nothing returning id
    ), announced as (
      select pg_notify(${REVOCATION_CHANNEL}, '')
    )
    select (select count(*) from revoked) as count from announced`;
  return row!.count > 0;
}

/**
 * What every process keeps in memory, so of all tenants.
 * @param since those noted from then on
 */
export async function listRevoked(sql: Queries, since: Date): Promise<{ id: string; expiresOn: Date }[]> {
  return sql<{ id: string; expiresOn: Date }[]>`
    select id, expires_on as "expiresOn" from revoked_tokens where revoked_on >= ${since} and expires_on > now()`;
}

/** @returns how many */
export async function deleteExpiredRevocations(sql: Queries): Promise<number> {
  return (await sql`delete from revoked_tokens where expires_on < now()`).count;
}
