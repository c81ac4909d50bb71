import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { UpstreamIdentity } from "./identity.ts";
import type { Provider } from "./providers/contract.ts";

export interface RoundTrip {
  digest: Buffer;
  tenantId: TenantId;
  providerId: number;
  target: string;
  /** The maximum age of the sign-in in seconds; 0: the user must authenticate again. */
  maxAge: number | null;
  startedOn: Date;
  /** Seconds since startedOn, by PostgreSQL's clock. */
  age: number;
  /** Null until the provider has identified the user. */
  identity: UpstreamIdentity | null;
}

export interface NewAttempt {
  digest: Buffer;
  browser: Buffer;
  network: string;
  providerId: number;
  target: string;
  maxAge: number | undefined;
  identity: UpstreamIdentity | undefined;
}

/** Limits on unfinished attempts: per address in a tenant, and per tenant. */
export interface OpenLimits {
  address: number;
  tenant: number;
}

/** @param seconds until it expires @returns false if a limit is reached */
export async function insertAttempt(
  sql: Queries,
  tenantId: TenantId,
  { digest, browser, network, providerId, target, maxAge, identity }: NewAttempt,
  seconds: number,
  max: OpenLimits,
): Promise<boolean> {
  const open = (where: ReturnType<Queries>, limit: number) => sql`
    (select count(*) from (
      select from upstream_attempts
      where tenant_id = ${tenantId} and expires_on > now() and ${where} limit ${limit}) open)`;
  const rows = await sql`
    insert into upstream_attempts (digest, tenant_id, identity_provider_id, browser, network, target, max_age, identity,
      expires_on)
    select ${digest}, ${tenantId}, ${providerId}, ${browser}, ${network}, ${target}, ${maxAge ?? null},
      ${identity ? sql.json(identity as never) : null}, now() + make_interval(secs => ${seconds})
    where ${open(sql`network = ${network}`, max.address)} < ${max.address}
      and ${open(sql`true`, max.tenant)} < ${max.tenant}
    returning digest`;
  return rows.length > 0;
}

const attemptColumns = (
  sql: Queries,
) => sql`digest, tenant_id as "tenantId", identity_provider_id as "providerId", target,
  max_age as "maxAge", started_on as "startedOn", extract(epoch from now() - started_on)::float8 as age, identity`;

/**
 * Uses an attempt up; it counts until it expires or `deleteAttempt` is called. The attempt determines the tenant, so
 * there is no tenant filter; the caller compares it to the client's.
 */
export async function takeAttempt(
  sql: Queries,
  digest: Buffer,
  browser: Buffer,
  providerId: number,
): Promise<RoundTrip | undefined> {
  const [attempt] = await sql<RoundTrip[]>`
    update upstream_attempts set used_on = now()
    where digest = ${digest} and browser = ${browser} and identity_provider_id = ${providerId} and identity is null
      and used_on is null and expires_on > now()
    returning ${attemptColumns(sql)}`;
  return attempt;
}

/** Like takeAttempt, without using it up. */
export async function findAttempt(sql: Queries, digest: Buffer, browser: Buffer): Promise<RoundTrip | undefined> {
  const [attempt] = await sql<RoundTrip[]>`
    select ${attemptColumns(sql)} from upstream_attempts
    where digest = ${digest} and browser = ${browser} and expires_on > now()`;
  return attempt;
}

/** @returns false if it was already deleted */
export async function deleteAttempt(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<boolean> {
  const gone = await sql`delete from upstream_attempts where tenant_id = ${tenantId} and digest = ${digest}`;
  return gone.count > 0;
}

/** Keeps an attempt until the session is finished. @returns false if it was already deleted */
export async function holdAttempt(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
  sessionId: string,
): Promise<boolean> {
  const held = await sql`
    update upstream_attempts set session_id = ${sessionId} where tenant_id = ${tenantId} and digest = ${digest}`;
  return held.count > 0;
}

export async function takeHeldAttempt(
  sql: Queries,
  tenantId: TenantId,
  sessionId: string,
): Promise<RoundTrip | undefined> {
  const [attempt] = await sql<RoundTrip[]>`
    delete from upstream_attempts
    where tenant_id = ${tenantId} and session_id = ${sessionId} and expires_on > now()
    returning ${attemptColumns(sql)}`;
  return attempt;
}

export async function removeExpiredAttempts(sql: Sql): Promise<number> {
  return (await sql`delete from upstream_attempts where expires_on < now()`).count;
}

export interface SubjectKey {
  providerId: number;
  authority: string;
  subject: string;
}

export interface LinkedUser {
  userId: number;
  isActive: boolean;
  provisioned: boolean;
}

export async function findLinkedUser(
  sql: Queries,
  tenantId: TenantId,
  { providerId, authority, subject }: SubjectKey,
): Promise<LinkedUser | undefined> {
  const [user] = await sql<LinkedUser[]>`
    select i.user_id as "userId", u.is_active as "isActive", i.provisioned
    from upstream_identities i join users u on u.id = i.user_id and u.tenant_id = i.tenant_id
    where i.tenant_id = ${tenantId} and i.identity_provider_id = ${providerId} and i.authority = ${authority}
      and i.subject = ${subject}`;
  return user;
}

/** Locks a link against its removal until the transaction ends. @returns false if it was removed */
export async function holdIdentity(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  { providerId, authority, subject }: SubjectKey,
): Promise<boolean> {
  const rows = await sql`
    select from upstream_identities
    where tenant_id = ${tenantId} and identity_provider_id = ${providerId} and authority = ${authority}
      and subject = ${subject} and user_id = ${userId} for key share`;
  return rows.length > 0;
}

/** @returns false if the subject is linked already */
export async function insertIdentity(
  sql: Queries,
  tenantId: TenantId,
  { providerId, authority, subject }: SubjectKey,
  userId: number,
  provisioned: boolean,
): Promise<boolean> {
  const inserted = await sql`
    insert into upstream_identities (tenant_id, identity_provider_id, authority, subject, user_id, provisioned)
    values (${tenantId}, ${providerId}, ${authority}, ${subject}, ${userId}, ${provisioned}) on conflict do nothing`;
  return inserted.count > 0;
}

export type LinkedIdentity = SubjectKey &
  Pick<
    Provider,
    "name" | "externalId" | "type" | "issuer" | "metadataUri" | "userinfoEndpoint" | "mapping" | "isActive"
  > & {
    linkedOn: Date;
  };

/** A user's linked subjects, ordered by the providers' names. */
export async function listIdentities(sql: Queries, tenantId: TenantId, userId: number): Promise<LinkedIdentity[]> {
  return sql<LinkedIdentity[]>`
    select p.id as "providerId", i.authority, i.subject, i.linked_on as "linkedOn", p.name, p.external_id as "externalId", p.type, p.issuer,
      p.metadata_uri as "metadataUri", p.userinfo_endpoint as "userinfoEndpoint", p.mapping, p.is_active as "isActive"
    from upstream_identities i join identity_providers p on p.id = i.identity_provider_id and p.tenant_id = i.tenant_id
    where i.tenant_id = ${tenantId} and i.user_id = ${userId} order by lower(p.name), p.id, i.linked_on`;
}

/** Locks a user's sign-in methods until the transaction ends. */
export async function lockUser(sql: Queries, tenantId: TenantId, userId: number): Promise<void> {
  await sql`select from users where tenant_id = ${tenantId} and id = ${userId} for no key update`;
}

export async function deleteIdentity(
  sql: Queries,
  tenantId: TenantId,
  { providerId, authority, subject }: SubjectKey,
): Promise<void> {
  await sql`
    delete from upstream_identities
    where tenant_id = ${tenantId} and identity_provider_id = ${providerId} and authority = ${authority}
      and subject = ${subject}`;
}

/** Whether a User has one of these values. */
export async function isTaken(
  sql: Queries,
  tenantId: TenantId,
  fields: { username: string | undefined; email: string | undefined; externalId: string | undefined },
): Promise<boolean> {
  const { username = null, email = null, externalId = null } = fields;
  const [row] = await sql<{ taken: boolean }[]>`
    select exists (
      select from users where tenant_id = ${tenantId}
        and ((md5(username_key) = md5(username_key(${username}::text)) and username_key = username_key(${username}::text)) or external_id = ${externalId}
          or (md5(lower(email)) = md5(lower(${email}::text)) and lower(email) = lower(${email}::text)))) as taken`;
  return row!.taken;
}
