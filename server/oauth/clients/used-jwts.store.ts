// JWTs of clients that are good once, by their jti: in PostgreSQL, so that no other process takes one a second time.

import { createHash } from "node:crypto";
import type { Queries } from "../../db/sql.ts";
import type { TenantId } from "../../ids.ts";

/** Seconds that a use is kept after its JWT has expired: the clocks of our processes and PostgreSQL's may differ. */
const KEPT_SECONDS = 60;
/** Each use takes so many expired ones away, so the table grows no larger than what is live. */
const SWEPT = 2;

export interface UsedJwt {
  clientId: number;
  /** Whose it is: a jti is unique to its issuer alone. */
  issuer: string;
  jti: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/**
 * Uses one, if there is room.
 * @param most of the client's that may be alive; undefined: there is room, and nobody has to count
 * @returns `live`: how many of the client's were alive, if they were counted
 */
export async function insertUsedJwt(
  sql: Queries,
  tenantId: TenantId,
  { clientId, issuer, jti, expiresAt }: UsedJwt,
  most: number | undefined,
): Promise<{ isFirst: boolean; live: number }> {
  const digest = createHash("sha256")
    .update(JSON.stringify([issuer, jti]))
    .digest();
  const count =
    most === undefined
      ? sql`0`
      : sql`(
        select count(*) from (
          select from used_jwts where client_id = ${clientId} and expires_on > now() limit ${most}) one)`;
  const [use] = await sql<{ isFirst: boolean; live: number }[]>`
    with swept as (
      delete from used_jwts where ctid = any(array(
        select ctid from used_jwts where expires_on < now() order by expires_on limit ${SWEPT}
        for update skip locked))
    ), live as (
      select ${count} as count
    ), kept as (
      insert into used_jwts (tenant_id, digest, client_id, expires_on)
      select ${tenantId}::uuid, ${digest}::bytea, ${clientId}::bigint, to_timestamp(${expiresAt + KEPT_SECONDS})
      from live where count < ${most ?? 1}
      on conflict do nothing returning digest
    )
    select exists (select from kept) as "isFirst", count::int as live from live`;
  return use!;
}

/** @returns how many, of all tenants */
export async function deleteExpiredJwts(sql: Queries): Promise<number> {
  return (await sql`delete from used_jwts where expires_on < now()`).count;
}
