import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { texts } from "../../ui/index.ts";

export interface PasswordReset {
  tenantId: TenantId;
  userId: number;
  /** A mail has the link. Otherwise an administrator has it. */
  isMailed: boolean;
  /** Whether the user's sessions end. */
  endsSessions: boolean;
  username: string;
  name: string;
  locale: string | null;
  tenantPages: texts.TenantPages;
}

/**
 * Replaces the user's previous link of its kind. A stranger can ask for a mailed one, so it leaves an administrator's.
 * @param seconds until it expires @param address where it is mailed
 */
export async function saveReset(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  digest: Buffer,
  seconds: number,
  address?: string,
): Promise<Date> {
  const [row] = await sql<{ expiresOn: Date }[]>`
    insert into password_resets as r (tenant_id, user_id, digest, expires_on, address, is_mailed)
    values (${tenantId}, ${userId}, ${digest}, now() + make_interval(secs => ${seconds}), ${address ?? null},
      ${address !== undefined})
    on conflict (user_id, is_mailed) do update
      set digest = excluded.digest, expires_on = excluded.expires_on, address = excluded.address
    returning expires_on as "expiresOn"`;
  return row!.expiresOn;
}

export async function voidResets(sql: Queries, tenantId: TenantId, userId: number): Promise<void> {
  await sql`delete from password_resets where tenant_id = ${tenantId} and user_id = ${userId}`;
}

/** The link determines the tenant, so there is no tenant filter. */
export async function findReset(sql: Queries, digest: Buffer): Promise<PasswordReset | undefined> {
  const [row] = await sql<PasswordReset[]>`
    select r.tenant_id as "tenantId", r.user_id as "userId", coalesce(u.username, '') as username,
      coalesce(u.name, '') as name, u.locale, json_build_object('language', t.language, 'texts', t.texts) as "tenantPages", r.address is not null as "isMailed",
      r.address is null or t.sessions_after_reset = 'End' as "endsSessions"
    from password_resets r, users u, tenants t where t.id = r.tenant_id and ${isLive(sql, digest)}`;
  return row;
}

/** Triggers delete links whose user has another address, is inactive, or has set a password since. */
const isLive = (sql: Queries, digest: Buffer) => sql`
  r.digest = ${digest} and r.expires_on > now() and u.id = r.user_id and u.tenant_id = r.tenant_id
  and (r.address is null or u.is_active and u.email = r.address and u.email_verified)`;

/** @returns false if the link was used or has expired */
export async function takeReset(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<boolean> {
  const rows = await sql`
    delete from password_resets r using users u where r.tenant_id = ${tenantId} and ${isLive(sql, digest)}
    returning r.user_id`;
  return rows.length > 0;
}

export async function removeExpiredResets(sql: Sql): Promise<number> {
  return (await sql`delete from password_resets where expires_on < now()`).count;
}

/** Seconds until a link expires. */
export const RESET_LIFETIME = 3_600;
export const RESET_PATH = "/account/reset";
