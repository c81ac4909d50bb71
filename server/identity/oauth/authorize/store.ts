import { type Queries, repeating, type Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Allowance, allowance } from "../clients/consents.store.ts";
import { cameOfProvider } from "../clients/store.ts";
import { insertedFamily, type NewFamily } from "../tokens/families.store.ts";
import { takenPush } from "./pushed.store.ts";

export interface CodeGrant {
  clientId: number;
  userId: number;
  sessionId: string;
  redirectUri: string;
  redirectUriSent: boolean;
  responseType: string;
  /** The request's parameter; null if it was missing. */
  scope: string | null;
  scopes: string[];
  resources: string[];
  nonce: string | null;
  codeChallenge: string | null;
  /** The thumbprint of the key required to redeem it (RFC 9449 10); null: none. */
  dpopJkt: string | null;
  authTime: Date;
  amr: string[];
  acr: string;
  claims: { idToken: string[]; userinfo: string[] };
}

export interface StoredCode extends CodeGrant, Allowance {
  isExpired: boolean;
  isUsed: boolean;
  /** Used so recently that its client may have repeated the request. */
  isJustUsed: boolean;
  familyId: string | null;
}

/** A client or a proxy repeats a token request within this time if the answer is late (docs/behaviour.md "Lifetimes"). */
const REPEATED_WITHIN = "2 seconds";

/**
 * Also registers the client for the session's logout notification, if the sign-in is by OpenID Connect.
 * @param pushed the request, which it uses up @returns false if that was already used
 */
export async function insertCode(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
  code: CodeGrant,
  seconds: number,
  pushed: Buffer | undefined,
): Promise<boolean> {
  const first = pushed ? takenPush(sql, tenantId, pushed) : sql`first as (select true as is_first)`;
  const rows = await sql`
    with ${first}, sessions_of_client as (
      insert into session_clients (session_id, tenant_id, client_id, sid)
      select id, tenant_id, ${code.clientId}, id from sessions
      where tenant_id = ${tenantId} and id = ${code.sessionId} and ${code.scopes.includes("openid")}
        and (select is_first from first)
      for key share
      on conflict do nothing
    )
    insert into authorization_codes (digest, tenant_id, client_id, user_id, session_id, redirect_uri, redirect_uri_sent,
      response_type, scope, scopes, resources, nonce, code_challenge, dpop_jkt, auth_time, amr, acr, claims, expires_on)
    select ${digest}, ${tenantId}, ${code.clientId}, ${code.userId}, ${code.sessionId}, ${code.redirectUri},
      ${code.redirectUriSent}, ${code.responseType}, ${code.scope}, ${code.scopes}::text[], ${code.resources}::text[], ${code.nonce}, ${code.codeChallenge},
      ${code.dpopJkt}, ${code.authTime}, ${code.amr}::text[], ${code.acr}, ${sql.json(code.claims)}, now() + make_interval(secs => ${seconds})
    from first where is_first
    returning digest`;
  return rows.length > 0;
}

/** @returns undefined also if the user is inactive */
export async function findCode(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<StoredCode | undefined> {
  const [code] = await sql<StoredCode[]>`
    select c.client_id as "clientId", c.user_id as "userId", c.session_id as "sessionId",
      c.redirect_uri as "redirectUri", c.redirect_uri_sent as "redirectUriSent", c.response_type as "responseType",
      c.scope, c.scopes, c.resources, c.nonce, c.code_challenge as "codeChallenge", c.dpop_jkt as "dpopJkt",
      c.auth_time as "authTime", c.amr, c.acr, c.claims,
      c.expires_on <= now() as "isExpired", c.used_on is not null as "isUsed",
      coalesce(c.used_on > now() - ${REPEATED_WITHIN}::interval, false) as "isJustUsed", c.family_id as "familyId",
      ${allowance(sql, tenantId, sql`c.user_id`, sql`c.client_id`)}
    from authorization_codes c join users u on u.id = c.user_id and u.tenant_id = c.tenant_id
    where c.tenant_id = ${tenantId} and c.digest = ${digest} and u.is_active`;
  return code;
}

export interface Redemption {
  isUserActive: boolean;
  /** null: it has ended. */
  sessionId: string | null;
  /** false: the code was already used, or has expired. */
  isTaken: boolean;
}

/**
 * Uses a code up and starts its family. Each part locks its row only after the part before it: the user, the session, the
 * code, in the order in which a deactivation and the end of a session lock them. Concurrent calls wait for each other.
 */
export async function redeemCode(
  sql: Sql,
  tenantId: TenantId,
  digest: Buffer,
  family: NewFamily & { userId: number },
): Promise<Redemption> {
  const first = await redeemOnce(sql, tenantId, digest, family);
  // A concurrent sign-in may have replaced the session while the statement waited for its lock.
  return first.isUserActive && first.sessionId === null ? redeemOnce(sql, tenantId, digest, family) : first;
}

const redeemOnce = repeating(async function redeemOnce(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
  family: NewFamily & { userId: number },
): Promise<Redemption> {
  const [row] = await sql<Redemption[]>`
    with held_user as materialized (
      select from users where tenant_id = ${tenantId} and id = ${family.userId} and is_active for key share
    ), held_session as materialized (
      select s.id from authorization_codes c join sessions s on s.id = c.session_id and s.tenant_id = c.tenant_id
      where c.tenant_id = ${tenantId} and c.digest = ${digest} and s.expires_on > now() and exists (select from held_user)
      for key share of s
    ), taken as (
      update authorization_codes set used_on = now(), family_id = ${family.id}
      where tenant_id = ${tenantId} and digest = ${digest} and used_on is null and expires_on > now()
        and exists (select from held_session)
      returning digest
    ), started as (
      ${insertedFamily(sql, tenantId, family, sql`(select id from held_session)`, sql`from taken`)}
    )
    select exists (select from held_user) as "isUserActive", (select id from held_session) as "sessionId",
      exists (select from taken) as "isTaken"`;
  return row!;
});

/** A user's sign-in sessions: one, all but one, or all. */
export type WhichSessions = { sessionId: string } | { exceptSessionId: string | undefined };

/** Expires unredeemed codes; waits for codes that are being redeemed. */
export async function expireCodes(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  which: WhichSessions,
): Promise<void> {
  const match =
    "sessionId" in which
      ? sql`session_id = ${which.sessionId}`
      : sql`session_id is distinct from ${which.exceptSessionId ?? null}::uuid`;
  await sql`
    update authorization_codes set expires_on = now()
    where tenant_id = ${tenantId} and user_id = ${userId} and expires_on > now() and ${match}`;
}

export async function expireCodesBy(sql: Queries, tenantId: TenantId, identityProviderId: number): Promise<void> {
  await sql`
    update authorization_codes set expires_on = now()
    where tenant_id = ${tenantId} and expires_on > now() and ${cameOfProvider(sql, tenantId, identityProviderId)}`;
}

/** Expired codes are kept this long, so the reuse of a used code is detected. */
const KEEP_CODES = "1 day";

export async function removeExpiredCodes(sql: Sql): Promise<number> {
  return (await sql`delete from authorization_codes where expires_on < now() - ${KEEP_CODES}::interval`).count;
}
