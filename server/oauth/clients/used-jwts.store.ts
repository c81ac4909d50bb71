// JWTs of clients that are good once, by their jti: in PostgreSQL, so that no other process takes one a second time.

import { createHash } from "node:crypto";
import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

/** Seconds that a use is kept after its JWT has expired: the clocks of our processes and PostgreSQL's may differ. */
const KEPT_SECONDS = 60;
/** Each use takes so many expired ones away, so the table grows no larger than what is live. */
const SWEPT = 2;

/** What a JWT is for; the jtis of one kind are none of another's. */
export type UsedKind = "client_assertion";

export interface UsedJwt {
  kind: UsedKind;
  clientId: number;
  /** Whose it is: a jti is unique to its issuer alone. */
  issuer: string;
  jti: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** Of one client that have not expired. */
export const MOST_USED_JWTS = 20_000;

/** What came of using one. */
export type JwtUse = "First" | "Used" | "TooMany";

export async function insertUsedJwt(
  sql: Queries,
  tenantId: TenantId,
  { kind, clientId, issuer, jti, expiresAt }: UsedJwt,
): Promise<JwtUse> {
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, issuer, jti]))
    .digest();
  const [use] = await sql<{ isFull: boolean; isFirst: boolean }[]>`
    with swept as (
      delete from used_jwts where ctid = any(array(
        select ctid from used_jwts where expires_on < now() order by expires_on limit ${SWEPT}
        for update skip locked))
    ), live as (
      select count(*) >= ${MOST_USED_JWTS} as is_full from (
        select from used_jwts where client_id = ${clientId} and expires_on > now() limit ${MOST_USED_JWTS}) one
    ), kept as (
      insert into used_jwts (tenant_id, digest, client_id, expires_on)
      select ${tenantId}::uuid, ${digest}::bytea, ${clientId}::bigint, to_timestamp(${expiresAt + KEPT_SECONDS})
      from live where not is_full
      on conflict do nothing returning digest
    )
    select exists (select from kept) as "isFirst", is_full as "isFull" from live`;
  if (use!.isFirst) return "First";
  return use!.isFull ? "TooMany" : "Used";
}

/** @returns how many, of all tenants */
export async function deleteExpiredJwts(sql: Queries): Promise<number> {
  return (await sql`delete from used_jwts where expires_on < now()`).count;
}
