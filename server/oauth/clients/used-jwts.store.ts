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
  /** Whose it is: a jti is unique to its issuer alone. */
  issuer: string;
  jti: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** @returns false if it was used before */
export async function insertUsedJwt(
  sql: Queries,
  tenantId: TenantId,
  { kind, issuer, jti, expiresAt }: UsedJwt,
): Promise<boolean> {
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, issuer, jti]))
    .digest();
  const rows = await sql`
    with swept as (
      delete from used_jwts where ctid = any(array(
        select ctid from used_jwts where expires_on < now() order by expires_on limit ${SWEPT}
        for update skip locked))
    )
    insert into used_jwts (tenant_id, digest, expires_on)
    values (${tenantId}, ${digest}, to_timestamp(${expiresAt + KEPT_SECONDS}))
    on conflict do nothing returning digest`;
  return rows.length > 0;
}

/** @returns how many, of all tenants */
export async function deleteExpiredJwts(sql: Queries): Promise<number> {
  return (await sql`delete from used_jwts where expires_on < now()`).count;
}
