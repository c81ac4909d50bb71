import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

export interface Passkey {
  /** A UUID. */
  id: string;
  name: string;
  /** The authenticator keeps copies of it on other devices. */
  isSynced: boolean;
  createdOn: Date;
  /** null: never. */
  lastUsedOn: Date | null;
}

/** For verifying an assertion (WebAuthn Level 3, 7.2). */
export interface StoredPasskey {
  id: string;
  tenantId: TenantId;
  tenantName: string;
  userId: number;
  isActive: boolean;
  credentialId: Uint8Array<ArrayBuffer>;
  /** COSE. */
  publicKey: Uint8Array<ArrayBuffer>;
  signCount: number;
  transports: string[];
  rpId: string;
  handle: Uint8Array;
}

export interface NewPasskey {
  id: string;
  credentialId: Uint8Array;
  publicKey: Uint8Array;
  signCount: number;
  transports: string[];
  aaguid: string;
  isSynced: boolean;
  name: string;
  rpId: string;
}

/** Newest first. */
export async function listPasskeys(sql: Queries, tenantId: TenantId, userId: number): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select id, name, is_synced as "isSynced", created_on as "createdOn", last_used_on as "lastUsedOn"
    from passkeys where tenant_id = ${tenantId} and user_id = ${userId}::bigint order by id desc`;
}

export async function listCredentials(sql: Queries, tenantId: TenantId, userId: number): Promise<StoredPasskey[]> {
  return sql<StoredPasskey[]>`
    select ${stored(sql)} where p.tenant_id = ${tenantId} and p.user_id = ${userId} order by p.id desc`;
}

/** The credential determines the tenant, so there is no tenant filter. */
export async function findCredential(sql: Queries, credentialId: Uint8Array): Promise<StoredPasskey | undefined> {
  const [row] = await sql<StoredPasskey[]>`select ${stored(sql)} where p.credential_id = ${credentialId}`;
  return row;
}

const stored = (sql: Queries) => sql`
  p.id, p.tenant_id as "tenantId", t.name as "tenantName", p.user_id as "userId", u.is_active as "isActive",
  p.credential_id as "credentialId", p.public_key as "publicKey", p.sign_count::float8 as "signCount", p.transports,
  p.rp_id as "rpId", h.handle
  from passkeys p join users u on u.id = p.user_id and u.tenant_id = p.tenant_id
    join passkey_handles h on h.user_id = p.user_id and h.tenant_id = p.tenant_id
    join tenants t on t.id = p.tenant_id`;

/** @param fresh for a user who has none @returns the user's `user.id` in authenticators */
export async function handleOf(sql: Sql, tenantId: TenantId, userId: number, fresh: Buffer): Promise<Uint8Array> {
  const [row] = await sql<{ handle: Uint8Array }[]>`
    insert into passkey_handles (user_id, tenant_id, handle)
    select id, tenant_id, ${fresh} from users where tenant_id = ${tenantId} and id = ${userId}
    on conflict (user_id) do update set handle = passkey_handles.handle returning handle`;
  return row!.handle;
}

/** @param max of a user @returns false if the credential exists, or the user has as many */
export async function insertPasskey(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  passkey: NewPasskey,
  max: number,
): Promise<boolean> {
  const { id, credentialId, publicKey, signCount, transports, aaguid, isSynced, name, rpId } = passkey;
  const rows = await sql`
    insert into passkeys (id, tenant_id, user_id, credential_id, public_key, sign_count, transports, aaguid, is_synced,
      name, rp_id)
    select ${id}, tenant_id, id, ${credentialId}, ${publicKey}, ${signCount}, ${transports}::text[], ${aaguid}::uuid,
      ${isSynced}, ${name}, ${rpId}
    from users u where tenant_id = ${tenantId} and id = ${userId}
      and (select count(*) from passkeys p where p.tenant_id = u.tenant_id and p.user_id = u.id) < ${max}
    on conflict do nothing returning id`;
  return rows.length > 0;
}

/** Records a use. @param signCount as the authenticator reported it */
export async function markUsed(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  signCount: number,
  isSynced: boolean,
): Promise<void> {
  await sql`
    update passkeys set last_used_on = now(), sign_count = greatest(sign_count, ${signCount}), is_synced = ${isSynced}
    where tenant_id = ${tenantId} and id = ${id}`;
}

/** @returns its last state; undefined if the user has no such passkey */
export async function deletePasskey(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  id: string,
): Promise<Passkey | undefined> {
  const [row] = await sql<Passkey[]>`
    delete from passkeys where tenant_id = ${tenantId} and user_id = ${userId} and id = ${id}
    returning id, name, is_synced as "isSynced", created_on as "createdOn", last_used_on as "lastUsedOn"`;
  return row;
}

/** Locks a passkey against its removal until the transaction ends. @returns false if it was removed */
export async function holdPasskey(sql: Queries, tenantId: TenantId, userId: number, id: string): Promise<boolean> {
  const rows = await sql`
    select from passkeys where tenant_id = ${tenantId} and user_id = ${userId} and id = ${id} for key share`;
  return rows.length > 0;
}

export async function hasPasskey(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (select from passkeys where tenant_id = ${tenantId} and user_id = ${userId}) as has`;
  return row!.has;
}

/** A passkey is not offered for some time. @param fresh for a user who has no handle */
export async function postponeOffer(sql: Queries, tenantId: TenantId, userId: number, fresh: Buffer): Promise<void> {
  await sql`
    insert into passkey_handles (user_id, tenant_id, handle, asked_on)
    select id, tenant_id, ${fresh}, now() from users where tenant_id = ${tenantId} and id = ${userId}
    on conflict (user_id) do update set asked_on = now()`;
}

/** @returns whether the tenant's rule asks the user for a passkey, and the AAGUIDs that it accepts; none: all */
export async function findPasskeyRule(sql: Queries, tenantId: TenantId, userId: number) {
  const [row] = await sql<{ isRequired: boolean; models: string[] }[]>`
    select needs_passkey(t, ${userId}::integer) as "isRequired", passkey_models as models
    from tenants t where id = ${tenantId}`;
  return row!;
}

/** A thief may have added them. */
export async function deleteRecentPasskeys(sql: Queries, tenantId: TenantId, userId: number, seconds: number) {
  return sql<{ id: string }[]>`
    delete from passkeys where tenant_id = ${tenantId} and user_id = ${userId}
      and created_on > now() - make_interval(secs => ${seconds}) returning id`;
}

/** @param models AAGUIDs; none: all, also without a passkey */
export async function hasPasskeyOf(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  models: string[],
): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select ${models.length === 0} or exists (
      select from passkeys
      where tenant_id = ${tenantId} and user_id = ${userId} and aaguid::text = any (${models}::text[])) as has`;
  return row!.has;
}

/** @param seconds until the challenge expires @returns false if it was used before */
export async function useChallenge(sql: Queries, digest: Buffer, seconds: number): Promise<boolean> {
  const rows = await sql`
    insert into used_challenges (digest, expires_on) values (${digest}, now() + make_interval(secs => ${seconds}))
    on conflict do nothing returning digest`;
  return rows.length > 0;
}

export async function removeUsedChallenges(sql: Sql): Promise<number> {
  return (await sql`delete from used_challenges where expires_on < now()`).count;
}
