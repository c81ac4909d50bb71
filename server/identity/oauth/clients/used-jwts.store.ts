// Used JWTs of clients by jti, in PostgreSQL, so each is accepted once across all processes.

import { createHash } from "node:crypto";
import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { clientVersion } from "./store.ts";

/** Seconds for which a use is kept after the JWT expires, to allow for clock differences. */
const KEPT_SECONDS = 60;
/** Each insertion deletes this many expired rows, so the table stays small. */
const SWEPT = 2;

export interface UsedJwt {
  clientId: number;
  /** The issuer; a jti is unique only per issuer. */
  issuer: string;
  jti: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

export interface StoredUse {
  isFirst: boolean;
  /** The client's unexpired JWTs, if counted. */
  live: number;
  /** Of the client, now. */
  version: string | null;
}

/** @param max the client's maximum; undefined: not counted */
export async function insertUsedJwt(
  sql: Queries,
  tenantId: TenantId,
  { clientId, issuer, jti, expiresAt }: UsedJwt,
  max: number | undefined,
): Promise<StoredUse> {
  const digest = createHash("sha256")
    .update(JSON.stringify([issuer, jti]))
    .digest();
  const count =
    max === undefined
      ? sql`0`
      : sql`(
        select count(*) from (
          select from used_jwts where client_id = ${clientId} and expires_on > now() limit ${max}) one)`;
  const [use] = await sql<StoredUse[]>`
    with swept as (
      delete from used_jwts where ctid = any(array(
        select ctid from used_jwts where expires_on < now() order by expires_on limit ${SWEPT}
        for update skip locked))
    ), live as (
      select ${count} as count
    ), kept as (
      insert into used_jwts (tenant_id, digest, client_id, expires_on)
      select ${tenantId}::uuid, ${digest}::bytea, ${clientId}::bigint, to_timestamp(${expiresAt + KEPT_SECONDS})
      from live where count < ${max ?? 1}
      on conflict do nothing returning digest
    )
    select exists (select from kept) as "isFirst", count::int as live, ${clientVersion(sql, clientId)} as version
    from live`;
  return use!;
}

export async function deleteExpiredJwts(sql: Queries): Promise<number> {
  return (await sql`delete from used_jwts where expires_on < now()`).count;
}
