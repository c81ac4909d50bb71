import type { Queries, Sql } from "../db/connection.ts";
import type { TenantId } from "../tenant-id.ts";
import type { Session } from "./sessions.ts";

/** Days after which a browser that was not used is forgotten. */
const DEVICE_DAYS = 365;
/** Hours after which failures no longer count. */
const FAILURE_HOURS = 24;

/** A row of users as sign-in needs it. */
export interface Account {
  id: number;
  isActive: boolean;
  /** Null: the account has no password. */
  hash: string | null;
  knownDevice: boolean;
  knownAddress: boolean;
  /** The password alone does not sign the user in. */
  needsSecondFactor: boolean;
}

/** At most two: a user name may stand in several rows, and then it names nobody. */
export async function findAccounts(
  sql: Queries,
  tenantId: TenantId,
  username: string,
  device: Buffer | undefined,
  address: string,
): Promise<Account[]> {
  const known = sql`select from known_devices d where d.tenant_id = u.tenant_id and d.user_id = u.id`;
  return sql<Account[]>`
    select u.id, u.is_active as "isActive", p.hash,
      exists (${known} and d.digest = ${device ?? null}) as "knownDevice",
      exists (${known} and d.address = ${address}) as "knownAddress",
      ${needsSecondFactor(sql)} as "needsSecondFactor"
    from users u left join passwords p on p.user_id = u.id
    where u.tenant_id = ${tenantId} and u.username = ${username} order by u.id limit 2`;
}

/** Of the row `u` of users: it has a second factor, or its tenant wants everybody to have one. */
const needsSecondFactor = (sql: Queries) => sql`
  (${hasSecondFactor(sql)} or exists (select from tenants t where t.id = u.tenant_id and t.second_factor = 'Required'))`;
const hasSecondFactor = (sql: Queries) => sql`
  exists (select from totp_secrets f where f.tenant_id = u.tenant_id and f.user_id = u.id)`;

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
export async function findPasswordHash(sql: Queries, tenantId: TenantId, userId: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select p.hash from passwords p join users u on u.id = p.user_id
    where u.tenant_id = ${tenantId} and u.id = ${userId}`;
  return row?.hash;
}

/** As findPasswordHash; until the transaction ends, who sets another one waits. */
export async function holdPasswordHash(sql: Queries, tenantId: TenantId, userId: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select p.hash from passwords p join users u on u.id = p.user_id
    where u.tenant_id = ${tenantId} and u.id = ${userId} for share of p`;
  return row?.hash;
}

/**
 * Until the transaction ends, who deactivates the user waits. To be called before anything of the user's is locked, as
 * deactivating does.
 * @returns false if the user is not active
 */
export async function holdActiveUser(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const rows = await sql`
    select from users where tenant_id = ${tenantId} and id = ${userId} and is_active for key share`;
  return rows.length > 0;
}

/** Whether the user can sign in by password: has one, and a user name that is nobody else's. */
export async function hasPasswordToSignInWith(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (
      select from users u join passwords p on p.user_id = u.id
      where u.tenant_id = ${tenantId} and u.id = ${userId} and u.username <> ''
        and not exists (select from users o where o.tenant_id = u.tenant_id and o.username = u.username and o.id <> u.id)
    ) as has`;
  return row!.has;
}

export async function savePassword(sql: Queries, tenantId: TenantId, userId: number, hash: string): Promise<void> {
  await sql`
    insert into passwords (user_id, hash) select id, ${hash} from users where tenant_id = ${tenantId} and id = ${userId}
    on conflict (user_id) do update set hash = excluded.hash, changed_on = now()`;
}

/** SPEC.md's Last_Login, and where the user is known from now on. */
export async function recordSignIn(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  device: Buffer,
  address: string,
): Promise<void> {
  await sql`
    with login as (update users set last_login = now() where tenant_id = ${tenantId} and id = ${userId})
    insert into known_devices (tenant_id, user_id, digest, address)
    values (${tenantId}, ${userId}, ${device}, ${address})
    on conflict (tenant_id, user_id, digest) do update set address = excluded.address, last_seen = now()`;
}

export interface NewSession {
  id: string;
  userId: number;
  digest: Buffer;
  /** The digest of the browser's former session, which ends. */
  replaces: Buffer | undefined;
  amr: string[];
  acr: string;
  identityProviderId?: number;
  authTime?: Date;
  isAuthTimeKnown?: boolean;
  /** Seconds. */
  lifetime: number;
  address: string;
  userAgent: string;
}

/** @returns whether its user needs a second factor */
export async function insertSession(sql: Queries, tenantId: TenantId, session: NewSession): Promise<boolean> {
  const [row] = await sql<{ needsSecondFactor: boolean }[]>`
    with former as (delete from sessions where digest = ${session.replaces ?? null})
    insert into sessions (id, tenant_id, user_id, digest, auth_time, is_auth_time_known, amr, acr, identity_provider_id,
      expires_on, address, user_agent)
    values (${session.id}, ${tenantId}, ${session.userId}, ${session.digest},
      coalesce(${session.authTime ?? null}::timestamptz, now()), ${session.isAuthTimeKnown ?? true}, ${session.amr}::text[], ${session.acr},
      ${session.identityProviderId ?? null}, now() + make_interval(secs => ${session.lifetime}), ${session.address},
      ${session.userAgent})
    returning (select ${needsSecondFactor(sql)} from users u where u.id = sessions.user_id) as "needsSecondFactor"`;
  return row!.needsSecondFactor;
}

/** As it is stored: `needsSecondFactor` is the user's and the tenant's, whatever the session had. */
export type StoredSession = Omit<Session, "isUnfinished"> & { lastSeen: Date; needsSecondFactor: boolean };

/** The session's own tenant is the answer here, so there is none to filter by; the caller compares it to the client's. */
export async function findSession(
  sql: Queries,
  digest: Buffer,
  idleSeconds: number,
): Promise<StoredSession | undefined> {
  const [session] = await sql<StoredSession[]>`
    select s.id, s.tenant_id as "tenantId", s.user_id as "userId", coalesce(u.username, '') as username,
      coalesce(u.name, '') as name, s.auth_time as "authTime",
      s.is_auth_time_known as "isAuthTimeKnown", s.amr, s.acr,
      s.identity_provider_id as "identityProviderId", s.last_seen as "lastSeen",
      ${hasSecondFactor(sql)} as "hasSecondFactor", ${needsSecondFactor(sql)} as "needsSecondFactor"
    from sessions s join users u on u.id = s.user_id and u.tenant_id = s.tenant_id
    where s.digest = ${digest} and u.is_active and s.expires_on > now()
      and s.last_seen > now() - make_interval(secs => ${idleSeconds})`;
  return session;
}

export async function touchSession(sql: Queries, tenantId: TenantId, id: string): Promise<void> {
  await sql`update sessions set last_seen = now() where tenant_id = ${tenantId} and id = ${id}`;
}

/** Minutes within which a second factor belongs to the same sign-in as the first. */
const ONE_SIGN_IN_MINUTES = 10;

/** The session after another factor: under a new cookie, for it is worth more than before. @returns false if it has ended */
export async function raiseSession(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  raised: { digest: Buffer; amr: string[]; acr: string },
): Promise<boolean> {
  const isOneSignIn = sql`auth_time > now() - make_interval(mins => ${ONE_SIGN_IN_MINUTES})`;
  const updated = await sql`
    update sessions set digest = ${raised.digest}, amr = ${raised.amr}::text[], acr = ${raised.acr},
      auth_time = case when ${isOneSignIn} then now() else auth_time end,
      is_auth_time_known = is_auth_time_known or ${isOneSignIn}
    where tenant_id = ${tenantId} and id = ${id}`;
  return updated.count > 0;
}

/** @returns false if it had ended before */
export async function deleteSession(sql: Queries, tenantId: TenantId, id: string): Promise<boolean> {
  return (await sql`delete from sessions where tenant_id = ${tenantId} and id = ${id}`).count > 0;
}

/** Seconds. */
const FIRST_WAIT = 10;

/** After `free` failures each next one doubles the wait, from FIRST_WAIT up to `most` seconds. */
export interface FailureRule {
  free: number;
  most: number;
}

/**
 * Counts one attempt under `key` as failed, unless that key or one of `others` is blocked.
 * @returns false if it is
 */
export async function takeAttempt(
  sql: Queries,
  tenantId: TenantId,
  key: string,
  rule: FailureRule,
  others: string[],
): Promise<boolean> {
  const taken = await sql`
    insert into signin_failures as f (tenant_id, key, failures, last_on, blocked_until)
    select ${tenantId}, ${key}, 1, now(), '-infinity'
    where not exists (
      select from signin_failures where tenant_id = ${tenantId} and key = any(${others}::text[]) and blocked_until > now())
    on conflict (tenant_id, key) do update set ${oneMore(sql, rule)} where f.blocked_until <= now()
    returning f.key`;
  return taken.length > 0;
}

export async function addFailure(sql: Queries, tenantId: TenantId, key: string, rule: FailureRule): Promise<void> {
  await sql`
    insert into signin_failures as f (tenant_id, key, failures, last_on, blocked_until)
    values (${tenantId}, ${key}, 1, now(), '-infinity')
    on conflict (tenant_id, key) do update set ${oneMore(sql, rule)}`;
}

function oneMore(sql: Queries, { free, most }: FailureRule) {
  const failures = sql`case when f.last_on < now() - make_interval(hours => ${FAILURE_HOURS}) then 1 else f.failures + 1 end`;
  // The exponent has a ceiling of its own: a power of a large count would not fit.
  const wait = sql`least(${FIRST_WAIT} * power(2, least(${failures} - ${free} - 1, 20)), ${most})`;
  // Not until now(), which for an attempt that began a moment earlier is yet to come.
  const until = sql`case when ${failures} > ${free} then now() + make_interval(secs => ${wait}) else '-infinity' end`;
  return sql`failures = ${failures}, last_on = now(), blocked_until = ${until}`;
}

export async function secondsBlocked(sql: Queries, tenantId: TenantId, keys: string[]): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(ceil(extract(epoch from max(blocked_until) - now())), 0)::int as seconds
    from signin_failures where tenant_id = ${tenantId} and key = any(${keys}::text[]) and blocked_until > now()`;
  return row!.seconds;
}

/**
 * Marks the blocked ones of these keys, each until its time is over.
 * @param keys are locked in this order: whoever else locks several at once must keep to it
 * @returns false if all of them were marked already
 */
export async function markBlocked(sql: Queries, tenantId: TenantId, keys: string[]): Promise<boolean> {
  const marked = await sql`
    with blocked as (
      select key from signin_failures
      where tenant_id = ${tenantId} and key = any(${keys}::text[]) and blocked_until > now()
        and audited_until is distinct from blocked_until
      order by array_position(${keys}::text[], key) for update
    )
    update signin_failures f set audited_until = blocked_until from blocked
    where f.tenant_id = ${tenantId} and f.key = blocked.key returning f.key`;
  return marked.length > 0;
}

export async function forgetFailures(sql: Queries, tenantId: TenantId, key: string): Promise<void> {
  await sql`delete from signin_failures where tenant_id = ${tenantId} and key = ${key}`;
}

/** @returns how many, of all tenants */
export async function removeExpiredSessions(sql: Sql): Promise<number> {
  return (await sql`delete from sessions where expires_on < now()`).count;
}

/** @returns how many, of all tenants */
export async function removeForgottenDevices(sql: Sql): Promise<number> {
  return (await sql`delete from known_devices where last_seen < now() - make_interval(days => ${DEVICE_DAYS})`).count;
}

/** @returns how many, of all tenants */
export async function removeOldFailures(sql: Sql): Promise<number> {
  return (await sql`delete from signin_failures where last_on < now() - make_interval(hours => ${FAILURE_HOURS})`)
    .count;
}
