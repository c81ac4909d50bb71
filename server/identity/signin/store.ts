import type { PendingQuery, Row } from "postgres";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { texts } from "../../ui/index.ts";
import { ACR, type Session } from "./session.ts";

/** Days after which a browser without a sign-in is forgotten. */
const DEVICE_DAYS = 365;
/** Seconds without a request after which a session ends that was not kept. */
const IDLE_LIFETIME = 8 * 3600;

/** @param s the sessions' alias, with its dot */
export const isAwake = (sql: Queries, s = sql``) => sql`
  (${s}is_kept or ${s}last_seen > now() - make_interval(secs => ${IDLE_LIFETIME}))`;

/** A password as it is stored. */
export interface StoredPassword {
  hash: string;
  /** From another system. */
  isImported: boolean;
}

/** The normalized user name, unique among users who can sign in; "" if the name cannot exist. */
export async function usernameKey(sql: Queries, username: string): Promise<string> {
  const [row] = await sql<{ key: string | null }[]>`select username_key(${username}) as key`;
  return row!.key ?? "";
}

/** Whether the user in row `u` has a second factor or the tenant requires one. */
export const needsSecondFactor = (sql: Queries) => sql`
  (${hasSecondFactor(sql)} or exists (select from tenants t where t.id = u.tenant_id and t.second_factor = 'Required'))`;
const hasSecondFactor = (sql: Queries) => sql`
  exists (select from totp_secrets f where f.tenant_id = u.tenant_id and f.user_id = u.id)`;

/** The offers of the tenant's sign-in page. */
export interface SignInRules {
  asksToKeep: boolean;
  hasSignUp: boolean;
}

export async function findSignInRules(sql: Queries, tenantId: TenantId): Promise<SignInRules | undefined> {
  const [row] = await sql<SignInRules[]>`
    select keep_signed_in = 'Asked' as "asksToKeep", sign_up <> 'Off' as "hasSignUp" from tenants where id = ${tenantId}`;
  return row;
}

export async function findKnown(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  device: Buffer | undefined,
  address: string,
): Promise<{ device: boolean; address: boolean }> {
  const [known] = await sql<{ device: boolean; address: boolean }[]>`
    select coalesce(bool_or(digest = ${device ?? null}), false) as device,
      coalesce(bool_or(address = ${address}), false) as address
    from known_devices where tenant_id = ${tenantId} and user_id = ${userId}`;
  return known!;
}

/** @returns undefined if the user has no password */
export async function findPassword(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
): Promise<StoredPassword | undefined> {
  const [row] = await sql<StoredPassword[]>`
    select p.hash, p.imported_on is not null as "isImported" from passwords p join users u on u.id = p.user_id
    where u.tenant_id = ${tenantId} and u.id = ${userId} and coalesce(p.valid_until > now(), true)`;
  return row;
}

/** Texts about a user that attackers try in passwords; "" if unset. */
export interface PasswordOwner {
  username: string;
  name: string;
  email: string;
  organisation: string;
}

export async function findPasswordOwner(sql: Queries, tenantId: TenantId, userId: number): Promise<PasswordOwner> {
  const [row] = await sql<PasswordOwner[]>`
    select coalesce(u.username, '') as username, coalesce(u.name, '') as name, coalesce(u.email, '') as email,
      t.name as organisation
    from users u join tenants t on t.id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.id = ${userId}`;
  return row ?? { username: "", name: "", email: "", organisation: "" };
}

/** The hash, locked against changes until the transaction ends. */
export async function holdPasswordHash(sql: Queries, tenantId: TenantId, userId: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select p.hash from passwords p join users u on u.id = p.user_id
    where u.tenant_id = ${tenantId} and u.id = ${userId} for share of p`;
  return row?.hash;
}

/**
 * Locks the user against deactivation until the transaction ends. Call it before locking other rows of the user, which
 * is the order that deactivation uses.
 * @returns false if the user is not active
 */
export async function holdActiveUser(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const rows = await sql`
    select from users where tenant_id = ${tenantId} and id = ${userId} and is_active for key share`;
  return rows.length > 0;
}

/** Whether the user has both a password and a user name. */
export async function hasPasswordToSignInWith(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (
      select from users u join passwords p on p.user_id = u.id
      where u.tenant_id = ${tenantId} and u.id = ${userId} and u.username_key is not null
    ) as has`;
  return row!.has;
}

export async function savePassword(sql: Queries, tenantId: TenantId, userId: number, hash: string): Promise<void> {
  await sql`
    insert into passwords (user_id, hash) select id, ${hash} from users where tenant_id = ${tenantId} and id = ${userId}
    on conflict (user_id) do update set hash = excluded.hash, imported_on = null, valid_until = null`;
}

/**
 * A password of another system. It replaces only one that has not been used here.
 * @param lifetimeMs after which it may no longer be used @returns whether anything differed
 */
export async function saveImported(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  hash: string,
  lifetimeMs: number | undefined,
): Promise<boolean> {
  const saved = await sql`
    insert into passwords (user_id, hash, imported_on, valid_until)
    select id, ${hash}, now(), now() + make_interval(secs => ${lifetimeMs === undefined ? null : lifetimeMs / 1_000}::float8)
    from users where tenant_id = ${tenantId} and id = ${userId}
    on conflict (user_id) do update
    set hash = excluded.hash, imported_on = excluded.imported_on, valid_until = excluded.valid_until
    where passwords.imported_on is not null and passwords.hash <> excluded.hash`;
  return saved.count > 0;
}

/** @returns false if it is no longer the user's hash */
export async function replaceImported(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  imported: string,
  own: string,
): Promise<boolean> {
  const replaced = await sql`
    update passwords p set hash = ${own}, imported_on = null, valid_until = null from users u
    where u.tenant_id = ${tenantId} and u.id = ${userId} and p.user_id = u.id and p.hash = ${imported}`;
  return replaced.count > 0;
}

/** Sets Last_Login and remembers the browser and the address. @returns true if the user had only used other browsers */
export async function recordSignIn(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  device: Buffer,
  address: string,
): Promise<boolean> {
  const [row] = await sql<{ isNew: boolean }[]>`
    with login as (update users set last_login = now() where tenant_id = ${tenantId} and id = ${userId})
    insert into known_devices as d (tenant_id, user_id, digest, address)
    values (${tenantId}, ${userId}, ${device}, ${address})
    on conflict (tenant_id, user_id, digest) do update set address = excluded.address, last_seen = now()
    returning d.xmax = 0 and exists (
      select from known_devices o where o.tenant_id = d.tenant_id and o.user_id = d.user_id and o.digest <> d.digest
    ) as "isNew"`;
  return row!.isNew;
}

export interface NewSession {
  id: string;
  userId: number;
  digest: Buffer;
  amr: string[];
  acr: string;
  identityProviderId?: number;
  passkeyId?: string;
  /** The provider's id_token, sealed by MASTER_KEY. */
  idTokenHint?: Uint8Array;
  authTime?: Date;
  isAuthTimeKnown?: boolean;
  /** Seconds until the session ends. */
  lifetime: number;
  address: string;
  userAgent: string;
  keep?: boolean;
}

/** @returns whether it waits for a further factor, and whether it is kept */
export async function insertSession(
  sql: Queries,
  tenantId: TenantId,
  session: NewSession,
): Promise<{ isUnfinished: boolean; isKept: boolean | null }> {
  const [row] = await sql<{ isKept: boolean | null }[]>`
    insert into sessions (id, tenant_id, user_id, digest, auth_time, is_auth_time_known, amr, acr, identity_provider_id,
      id_token_hint, expires_on, address, user_agent, is_kept, passkey_id)
    select ${session.id}, u.tenant_id, u.id, ${session.digest},
      least(${session.authTime ?? null}::timestamptz, now()), ${session.isAuthTimeKnown ?? true},
      ${session.amr}::text[], ${session.acr}, ${session.identityProviderId ?? null}::bigint, ${session.idTokenHint ?? null}::bytea,
      now() + make_interval(secs => ${session.lifetime}), ${session.address}, ${session.userAgent},
      (select case keep_signed_in when 'Always' then true when 'Asked' then ${session.keep ?? null}::boolean else false end
        from tenants where id = u.tenant_id),
      ${session.passkeyId ?? null}::uuid
    from users u where u.tenant_id = ${tenantId} and u.id = ${session.userId}
    returning is_kept as "isKept"`;
  return { isUnfinished: !(await finishSession(sql, tenantId, session.id)), isKept: row!.isKept };
}

/** @returns false if the tenant's rules ask for more, or the session has ended */
async function finishSession(sql: Queries, tenantId: TenantId, id: string): Promise<boolean> {
  const finished = await sql`
    update sessions s set finished_on = coalesce(finished_on, now()) from users u
    where s.tenant_id = ${tenantId} and s.id = ${id} and u.id = s.user_id
      and (s.acr <> ${ACR.oneFactor} or not ${needsSecondFactor(sql)})
      and coalesce(passkey_due(s), 'offer') = 'offer'`;
  return finished.count > 0;
}

/** The user's answer. */
export async function keepSession(sql: Queries, tenantId: TenantId, id: string, isKept: boolean): Promise<void> {
  await sql`update sessions set is_kept = ${isKept} where tenant_id = ${tenantId} and id = ${id}`;
}

/**
 * Ends the session that a new sign-in replaces. For the same user, applications keep their grants and unredeemed codes:
 * logging out of the new session logs them out.
 */
export async function replaceSession(
  sql: Queries,
  tenantId: TenantId,
  former: Buffer,
  { id, userId }: Pick<NewSession, "id" | "userId">,
): Promise<void> {
  // Locked before its codes and tokens, in the order that redeeming a code uses.
  const [same] = await sql<{ id: string }[]>`
    select id from sessions where digest = ${former} and tenant_id = ${tenantId} and user_id = ${userId} for update`;
  if (same) await handOver(sql, tenantId, same.id, id);
  await sql`delete from sessions where digest = ${former}`;
}

/** Moves a session's grants to its successor. Clients may know them by either session's id. */
async function handOver(sql: Queries, tenantId: TenantId, from: string, to: string): Promise<void> {
  await sql`
    with codes as (
      update authorization_codes set session_id = ${to}
      where tenant_id = ${tenantId} and session_id = ${from} and expires_on > now()
      returning client_id, scopes
    ), families as (
      update refresh_families set session_id = ${to}
      where tenant_id = ${tenantId} and session_id = ${from} and revoked_on is null
      returning application_id as client_id, scopes
    ), moved_clients as (
      update session_clients set session_id = ${to} where tenant_id = ${tenantId} and session_id = ${from}
    )
    insert into session_clients (session_id, tenant_id, client_id, sid)
    select ${to}, ${tenantId}, k.application_id, ${to} from credentials k
    where k.application_id in (
      select client_id from (select * from codes union all select * from families) moved where 'openid' = any(scopes))
    for key share`;
}

/** The stored session: `needsSecondFactor` depends on the user and the tenant, not on the session. */
export type StoredSession = Omit<Session, "isUnfinished"> & {
  needsSecondFactor: boolean;
  isSeenLongAgo: boolean;
  tenantPages: texts.TenantPages;
};

/** Has no tenant filter: callers compare the tenant. @param touchSeconds after which it counts as seen long ago */
export async function findSession(
  sql: Queries,
  digest: Buffer,
  touchSeconds: number,
  more: PendingQuery<Row[]> = sql``,
): Promise<StoredSession | undefined> {
  const [session] = await sql<StoredSession[]>`
    select s.id, s.tenant_id as "tenantId", s.user_id as "userId", coalesce(u.username, '') as username,
      (select t.name from tenants t where t.id = s.tenant_id) as "tenantName", u.locale,
      (select json_build_object('language', t.language, 'texts', t.texts) from tenants t where t.id = s.tenant_id)
        as "tenantPages",
      coalesce(u.name, '') as name, s.auth_time as "authTime",
      s.created_on as "begunOn", extract(epoch from now() - s.auth_time)::float8 as age, s.is_auth_time_known as "isAuthTimeKnown", s.amr, s.acr,
      s.is_kept as "isKept", extract(epoch from s.expires_on - now())::int as "secondsLeft",
      s.identity_provider_id as "identityProviderId",
      s.created_on > now() - make_interval(secs => ${ONE_SIGN_IN_SECONDS}) as "hasJustBegun",
      s.last_seen < now() - make_interval(secs => ${touchSeconds}) as "isSeenLongAgo",
      exists (select from passkeys k where k.tenant_id = s.tenant_id and k.user_id = s.user_id) as "hasPasskey",
      passkey_due(s) as "passkeyDue", ${hasSecondFactor(sql)} as "hasSecondFactor", ${needsSecondFactor(sql)} as "needsSecondFactor" ${more}
    from sessions s join users u on u.id = s.user_id and u.tenant_id = s.tenant_id
    where s.digest = ${digest} and u.is_active and s.expires_on > now()
      and ${isAwake(sql, sql`s.`)}`;
  return session;
}

export async function touchSession(sql: Queries, tenantId: TenantId, id: string): Promise<void> {
  await sql`update sessions set last_seen = now() where tenant_id = ${tenantId} and id = ${id}`;
}

/** Within these, both factors count as one sign-in. */
const ONE_SIGN_IN_SECONDS = 600;

/** Gives the session a factor and a new cookie, because its privileges rise. @returns whether it is finished */
export async function raiseSession(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  raised: { digest: Buffer; amr: string[]; acr: string; passkeyId?: string },
): Promise<boolean> {
  const isOneSignIn = sql`auth_time > now() - make_interval(secs => ${ONE_SIGN_IN_SECONDS})`;
  await sql`
    update sessions set digest = ${raised.digest}, amr = ${raised.amr}::text[], acr = ${raised.acr},
      auth_time = case when ${isOneSignIn} then now() else auth_time end,
      is_auth_time_known = is_auth_time_known or ${isOneSignIn},
      passkey_id = coalesce(${raised.passkeyId ?? null}::uuid, passkey_id)
    where tenant_id = ${tenantId} and id = ${id}`;
  return finishSession(sql, tenantId, id);
}

/** @returns undefined if it had already ended */
export async function deleteSession(
  sql: Queries,
  tenantId: TenantId,
  id: string,
): Promise<{ idTokenHint: Uint8Array | null } | undefined> {
  const [deleted] = await sql<{ idTokenHint: Uint8Array | null }[]>`
    delete from sessions where tenant_id = ${tenantId} and id = ${id} returning id_token_hint as "idTokenHint"`;
  return deleted;
}

export async function removeExpiredSessions(sql: Sql): Promise<number> {
  return (await sql`delete from sessions where expires_on < now()`).count;
}

export async function removeForgottenDevices(sql: Sql): Promise<number> {
  return (await sql`delete from known_devices where last_seen < now() - make_interval(days => ${DEVICE_DAYS})`).count;
}

export async function isSession(sql: Queries, tenantId: TenantId, userId: number, id: string): Promise<boolean> {
  const rows = await sql`select from sessions where tenant_id = ${tenantId} and user_id = ${userId} and id = ${id}`;
  return rows.length > 0;
}
