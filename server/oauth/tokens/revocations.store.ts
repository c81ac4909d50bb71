import type { Queries } from "../../db/sql.ts";
import { hearOwn } from "../../db/watch.ts";
import type { TenantId } from "../../ids.ts";

/** Told of every revocation when its transaction commits. */
export const REVOCATION_CHANNEL = "gatehouse_revocation";

/**
 * Seconds that a revocation is kept: the most that TOKEN_LIFETIME may be, and an hour. When a token has expired is for
 * each process's own clock to say, and none may forget that it was revoked before the slowest clock is there.
 */
const KEPT_SECONDS = 86_400 + 3_600;
/** When what is noted now is forgotten, by PostgreSQL's clock. */
export const forgottenOn = (sql: Queries) => sql`now() + make_interval(secs => ${KEPT_SECONDS})`;

/** Refuses one access token from now on. @returns false if it was refused before */
export async function insertRevokedToken(sql: Queries, tenantId: TenantId, id: string): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    with revoked as (
      insert into revoked_tokens (id, tenant_id, expires_on) values (${id}, ${tenantId}, ${forgottenOn(sql)})
      on conflict do nothing returning id
    ), announced as (
      select pg_notify(${REVOCATION_CHANNEL}, '')
    )
    select (select count(*) from revoked) as count from announced`;
  hearOwn(sql, REVOCATION_CHANNEL);
  return row!.count > 0;
}

/** A transaction may commit its revocation later than its time says; the next look goes back this far, in seconds. */
const OVERLAP_SECONDS = 60;

export interface Revoked {
  /** PostgreSQL's time. */
  now: Date;
  /** From when on to look the next time. */
  next: Date;
  added: { id: string; expiresOn: Date }[];
}

/**
 * What every process keeps in memory, so of all tenants.
 * @param since those noted from then on; undefined: all
 */
export async function listRevoked(sql: Queries, since: Date | undefined): Promise<Revoked> {
  const rows = await sql<{ now: Date; next: Date; id: string | null; expiresOn: Date }[]>`
    select now(), now() - make_interval(secs => ${OVERLAP_SECONDS}) as next, id, expires_on as "expiresOn"
    from (select) one left join revoked_tokens
      on revoked_on >= coalesce(${since ?? null}::timestamptz, '-infinity') and expires_on > now()`;
  const { now, next } = rows[0]!;
  return { now, next, added: rows.flatMap(({ id, expiresOn }) => (id === null ? [] : [{ id, expiresOn }])) };
}

/** @returns how many */
export async function deleteExpiredRevocations(sql: Queries): Promise<number> {
  return (await sql`delete from revoked_tokens where expires_on < now()`).count;
}
