import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

export interface PasswordReset {
  tenantId: TenantId;
  userId: number;
  username: string;
  name: string;
}

/** Replaces the user's previous link. @param seconds until it expires */
export async function saveReset(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  digest: Buffer,
  seconds: number,
): Promise<Date> {
  const [row] = await sql<{ expiresOn: Date }[]>`
    insert into password_resets as r (tenant_id, user_id, digest, expires_on)
    values (${tenantId}, ${userId}, ${digest}, now() + make_interval(secs => ${seconds}))
    on conflict (user_id) do update set digest = excluded.digest, expires_on = excluded.expires_on
    returning expires_on as "expiresOn"`;
  return row!.expiresOn;
}

/** The link determines the tenant, so there is no tenant filter. */
export async function findReset(sql: Queries, digest: Buffer): Promise<PasswordReset | undefined> {
  const [row] = await sql<PasswordReset[]>`
    select r.tenant_id as "tenantId", r.user_id as "userId", coalesce(u.username, '') as username,
      coalesce(u.name, '') as name
    from password_resets r join users u on u.id = r.user_id and u.tenant_id = r.tenant_id
    where r.digest = ${digest} and r.expires_on > now()`;
  return row;
}

/** @returns false if the link was used or has expired */
export async function takeReset(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<boolean> {
  const rows = await sql`
    delete from password_resets where tenant_id = ${tenantId} and digest = ${digest} and expires_on > now()
    returning user_id`;
  return rows.length > 0;
}

export async function removeExpiredResets(sql: Sql): Promise<number> {
  return (await sql`delete from password_resets where expires_on < now()`).count;
}

/** Seconds until a link expires. */
export const RESET_LIFETIME = 3_600;
export const RESET_PATH = "/account/reset";
