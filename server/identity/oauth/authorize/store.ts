import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { cameOfProvider } from "../clients/store.ts";

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

export interface StoredCode extends CodeGrant {
  isExpired: boolean;
  isUsed: boolean;
  /** Used so recently that its client may have repeated the request. */
  isJustUsed: boolean;
  familyId: string | null;
}

/** A client or a proxy repeats a token request within this time if the answer is late (docs/behaviour.md "Lifetimes"). */
const REPEATED_WITHIN = "2 seconds";

/** Also registers the client for the session's logout notification, if the sign-in is by OpenID Connect. */
export async function insertCode(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
  code: CodeGrant,
  seconds: number,
): Promise<void> {
  await sql`
    with sessions_of_client as (
      insert into session_clients (session_id, tenant_id, client_id, sid)
      select id, tenant_id, ${code.clientId}, id from sessions
      where tenant_id = ${tenantId} and id = ${code.sessionId} and ${code.scopes.includes("openid")} for key share
      on conflict do nothing
    )
    insert into authorization_codes (digest, tenant_id, client_id, user_id, session_id, redirect_uri, redirect_uri_sent,
      response_type, scope, scopes, resources, nonce, code_challenge, dpop_jkt, auth_time, amr, acr, claims, expires_on)
    values (${digest}, ${tenantId}, ${code.clientId}, ${code.userId}, ${code.sessionId}, ${code.redirectUri},
      ${code.redirectUriSent}, ${code.responseType}, ${code.scope}, ${code.scopes}::text[], ${code.resources}::text[], ${code.nonce}, ${code.codeChallenge},
      ${code.dpopJkt}, ${code.authTime}, ${code.amr}::text[], ${code.acr}, ${sql.json(code.claims)}, now() + make_interval(secs => ${seconds}))`;
}

/** @returns undefined also if the user is inactive */
export async function findCode(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<StoredCode | undefined> {
  const [code] = await sql<StoredCode[]>`
    select c.client_id as "clientId", c.user_id as "userId", c.session_id as "sessionId",
      c.redirect_uri as "redirectUri", c.redirect_uri_sent as "redirectUriSent", c.response_type as "responseType",
      c.scope, c.scopes, c.resources, c.nonce, c.code_challenge as "codeChallenge", c.dpop_jkt as "dpopJkt",
      c.auth_time as "authTime", c.amr, c.acr, c.claims,
      c.expires_on <= now() as "isExpired", c.used_on is not null as "isUsed",
      coalesce(c.used_on > now() - ${REPEATED_WITHIN}::interval, false) as "isJustUsed", c.family_id as "familyId"
    from authorization_codes c join users u on u.id = c.user_id and u.tenant_id = c.tenant_id
    where c.tenant_id = ${tenantId} and c.digest = ${digest} and u.is_active`;
  return code;
}

/** Uses a code up; concurrent calls wait for the transaction. @returns false if it was already used */
export async function takeCode(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<boolean> {
  const taken = await sql`
    update authorization_codes set used_on = now()
    where tenant_id = ${tenantId} and digest = ${digest} and used_on is null and expires_on > now() returning digest`;
  return taken.length > 0;
}

/**
 * Locks a code's session against ending. Call it before locking grants of the session, as ending a session does.
 * @returns undefined if the session has ended
 */
export async function holdSessionOfCode(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<string | undefined> {
  const find = async () => {
    const [session] = await sql<{ id: string }[]>`
      select s.id from authorization_codes c join sessions s on s.id = c.session_id and s.tenant_id = c.tenant_id
      where c.tenant_id = ${tenantId} and c.digest = ${digest} and s.expires_on > now() for key share of s`;
    return session?.id;
  };
  // A concurrent sign-in may have replaced the session while the first query waited for its lock.
  return (await find()) ?? (await find());
}

export async function linkCode(sql: Queries, tenantId: TenantId, digest: Buffer, familyId: string): Promise<void> {
  await sql`
    update authorization_codes set family_id = ${familyId} where tenant_id = ${tenantId} and digest = ${digest}`;
}

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
