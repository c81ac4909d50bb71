import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { texts } from "../../../ui/index.ts";

export interface SignUpRules {
  mode: "Off" | "Invited" | "Domains" | "Approval";
  domains: string[];
}

export interface SignUpConsent {
  /** People agree to it; "" if unset, like the addresses. */
  text: string;
  terms: string;
  privacy: string;
}

/** @returns undefined if there is no such tenant */
export async function findSignUpRules(sql: Queries, tenantId: TenantId): Promise<SignUpRules | undefined> {
  const [row] = await sql<SignUpRules[]>`
    select sign_up as mode, sign_up_domains as domains from tenants where id = ${tenantId}`;
  return row;
}

/** A new link for an address replaces the former. @param seconds until it expires @returns when it expires */
export async function saveSignUp(
  sql: Queries,
  tenantId: TenantId,
  email: string,
  digest: Buffer,
  seconds: number,
): Promise<Date> {
  const [row] = await sql<{ expiresOn: Date }[]>`
    insert into sign_ups (tenant_id, email, digest, expires_on)
    values (${tenantId}, ${email}, ${digest}, now() + make_interval(secs => ${seconds}))
    on conflict (tenant_id, lower(email)) where user_id is null do update
      set email = excluded.email, digest = excluded.digest, expires_on = excluded.expires_on
    returning expires_on as "expiresOn"`;
  return row!.expiresOn;
}

export interface OpenSignUp extends SignUpRules, SignUpConsent {
  tenantId: TenantId;
  tenantName: string;
  tenantPages: texts.TenantPages;
  email: string;
}

/** The link determines the tenant, so there is no tenant filter. */
export async function findSignUp(sql: Queries, digest: Buffer): Promise<OpenSignUp | undefined> {
  const [row] = await sql<OpenSignUp[]>`
    select s.tenant_id as "tenantId", t.name as "tenantName",
      json_build_object('language', t.language, 'texts', t.texts) as "tenantPages", s.email, t.sign_up as mode, t.sign_up_domains as domains,
      coalesce(t.consent_text, '') as text, coalesce(t.terms_uri, '') as terms, coalesce(t.privacy_uri, '') as privacy
    from sign_ups s join tenants t on t.id = s.tenant_id
    where s.digest = ${digest} and s.expires_on > now()`;
  return row;
}

/** Uses the link up. @param waitingUser waits for an administrator's approval */
export async function endSignUp(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
  waitingUser: number | undefined,
): Promise<boolean> {
  const where = sql`where tenant_id = ${tenantId} and digest = ${digest} and expires_on > now()`;
  const { count } =
    waitingUser === undefined
      ? await sql`delete from sign_ups ${where}`
      : await sql`update sign_ups set digest = null, user_id = ${waitingUser} ${where}`;
  return count > 0;
}

/** The User's account is approved. @returns false if it did not wait */
export async function takeWaiting(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  return (await sql`delete from sign_ups where tenant_id = ${tenantId} and user_id = ${userId}`).count > 0;
}

/**
 * The User with this user name or, if there is none, with this verified address.
 * @param key the normalized user name @returns `name`: "" unless the address is the User's, because its owner reads it
 */
export async function findHolder(
  sql: Queries,
  tenantId: TenantId,
  key: string,
  email: string,
): Promise<{ id: number; name: string } | undefined> {
  const [row] = await sql<{ id: number; name: string }[]>`
    select id, case when lower(email) = lower(${email}::text) and email_verified then coalesce(name, '') else '' end as name
    from users
    where tenant_id = ${tenantId} and (md5(username_key) = md5(${key}) and username_key = ${key}
      or md5(lower(email)) = md5(lower(${email}::text)) and lower(email) = lower(${email}::text) and email_verified)
    order by username_key = ${key} desc nulls last limit 1`;
  return row;
}

export async function removeExpiredSignUps(sql: Sql): Promise<number> {
  return (await sql`delete from sign_ups where expires_on < now() and user_id is null`).count;
}
