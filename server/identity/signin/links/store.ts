import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { texts } from "../../../ui/index.ts";
import type { MailKind } from "../../mail/index.ts";

/** Address: confirms an address. Alarm: "this was not me". */
export type LinkPurpose = "Address" | "Alarm";

export interface NewMailedLink {
  tenantId: TenantId;
  userId: number;
  purpose: LinkPurpose;
  digest: Buffer;
  /** Where it is sent. */
  address: string;
  /** Seconds until it expires. */
  lifetime: number;
}

/** A new link to confirm an address replaces the user's previous one. @returns when it expires */
export async function insertLink(sql: Queries, link: NewMailedLink): Promise<Date> {
  const { tenantId, userId, purpose, digest, address, lifetime } = link;
  const [row] = await sql<{ expiresOn: Date }[]>`
    insert into mailed_links as l (digest, tenant_id, user_id, purpose, address, expires_on)
    values (${digest}, ${tenantId}, ${userId}, ${purpose}, ${address}, now() + make_interval(secs => ${lifetime}))
    on conflict (user_id) where purpose = 'Address' do update
      set digest = excluded.digest, address = excluded.address, expires_on = excluded.expires_on
    returning expires_on as "expiresOn"`;
  return row!.expiresOn;
}

export interface MailedLink {
  tenantId: TenantId;
  /** The user's; null: unknown. */
  locale: string | null;
  tenantPages: texts.TenantPages;
  userId: number;
  address: string;
  username: string;
  name: string;
}

const liveLink = (sql: Queries, purpose: LinkPurpose, digest: Buffer) => sql`
  l.digest = ${digest} and l.purpose = ${purpose} and l.expires_on > now() and u.id = l.user_id
  and u.tenant_id = l.tenant_id and u.is_active`;

/** The link determines the tenant, so there is no tenant filter. */
export async function findLink(sql: Queries, purpose: LinkPurpose, digest: Buffer): Promise<MailedLink | undefined> {
  const [row] = await sql<MailedLink[]>`
    select l.tenant_id as "tenantId", l.user_id as "userId", l.address, coalesce(u.username, '') as username,
      coalesce(u.name, '') as name, u.locale, json_build_object('language', t.language, 'texts', t.texts) as "tenantPages"
    from mailed_links l, users u, tenants t where t.id = l.tenant_id and ${liveLink(sql, purpose, digest)}`;
  return row;
}

/**
 * Uses a link up. An alarm also takes the user's later alarms and the link to confirm an address with it, because a thief
 * of the account may have them. It leaves earlier alarms, which went to earlier addresses.
 * @returns false if it was used, has expired or is void
 */
export async function takeLink(
  sql: Queries,
  tenantId: TenantId,
  purpose: LinkPurpose,
  digest: Buffer,
  userId: number,
): Promise<boolean> {
  const taken = await sql`
    delete from mailed_links l using users u
    where ${liveLink(sql, purpose, digest)} and l.tenant_id = ${tenantId} and l.user_id = ${userId}
    returning l.id`;
  if (taken[0] && purpose === "Alarm") {
    await sql`
      delete from mailed_links
      where tenant_id = ${tenantId} and user_id = ${userId} and (id > ${taken[0].id} or purpose = 'Address')`;
  }
  return taken.length > 0;
}

/** An administrator has decided which address is the user's. */
export async function deleteAlarms(sql: Queries, tenantId: TenantId, userId: number): Promise<void> {
  await sql`delete from mailed_links where tenant_id = ${tenantId} and user_id = ${userId} and purpose = 'Alarm'`;
}

export async function removeExpiredLinks(sql: Sql): Promise<number> {
  return (await sql`delete from mailed_links where expires_on < now()`).count;
}

/** A user's address as mails need it; "" if unset. */
export interface Recipient {
  address: string;
  isVerified: boolean;
  /** The full name, or the user name. */
  name: string;
}

export async function findRecipient(sql: Queries, tenantId: TenantId, userId: number): Promise<Recipient | undefined> {
  const [row] = await sql<Recipient[]>`
    select coalesce(email, '') as address, email_verified as "isVerified", coalesce(name, username, '') as name
    from users where tenant_id = ${tenantId} and id = ${userId}`;
  return row;
}

/** The user to warn of a new browser: undefined unless the tenant has chosen so, and for more than `max` in an hour. */
export async function findWarned(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  max: number,
): Promise<Recipient | undefined> {
  const [row] = await sql<Recipient[]>`
    select u.email as address, u.email_verified as "isVerified", coalesce(u.name, u.username, '') as name
    from users u join tenants t on t.id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.id = ${userId} and u.email_verified and t.new_device_mail = 'On'
      and (select count(*) from mails m where m.tenant_id = u.tenant_id and m.user_id = u.id and m.kind = 'NewDevice'
        and m.created_on > now() - interval '1 hour') < ${max}`;
  return row;
}

/** Mails of these kinds to an address in the last hour. */
export async function countMails(
  sql: Queries,
  tenantId: TenantId,
  address: string,
  kinds: readonly MailKind[],
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from mails
    where tenant_id = ${tenantId} and lower(recipient) = lower(${address}) and kind = any (${[...kinds]}::text[])
      and created_on > now() - interval '1 hour'`;
  return row!.count;
}

/** Mails of a kind that a user has caused in the last hour, to any address. */
export async function countMailsOf(sql: Queries, tenantId: TenantId, userId: number, kind: MailKind): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from mails
    where tenant_id = ${tenantId} and user_id = ${userId} and kind = ${kind} and created_on > now() - interval '1 hour'`;
  return row!.count;
}

/** A user with a forgotten password. */
export interface ForgetfulUser extends Recipient {
  id: number;
  username: string;
  isActive: boolean;
  hasPassword: boolean;
}

/**
 * Users with this verified address or, if there are none, with this user name; at most two. The owner of an address comes
 * first, because another user may have it as user name.
 * @param key the normalized user name
 */
export async function findForgetful(
  sql: Queries,
  tenantId: TenantId,
  key: string,
  address: string,
): Promise<ForgetfulUser[]> {
  type Condition = ReturnType<Queries>;
  const isNamed: Condition = sql`md5(u.username_key) = md5(${key}) and u.username_key = ${key}`;
  const find = (where: Condition) => sql<ForgetfulUser[]>`
    select u.id, coalesce(u.username, '') as username, u.is_active as "isActive", p.hash is not null as "hasPassword",
      coalesce(u.email, '') as address, u.email_verified as "isVerified", coalesce(u.name, u.username, '') as name
    from users u left join passwords p on p.user_id = u.id
    where u.tenant_id = ${tenantId} and ${where} order by u.id limit 2`;
  const ofAddress: Condition = sql`
    md5(lower(u.email)) = md5(lower(${address}::text)) and lower(u.email) = lower(${address}::text) and u.email_verified`;
  const owners = await find(ofAddress);
  if (owners.length === 1) return owners;
  const both: Condition = sql`${ofAddress} and ${isNamed}`;
  const named = await find(owners.length > 1 ? both : isNamed);
  return named.length > 0 ? named : owners;
}
