import type { Queries } from "../../../platform/db/sql.ts";
import { hearOwn } from "../../../platform/db/watch.ts";
import type { TenantId } from "../../../platform/ids.ts";

/** Notified of every revocation when its transaction commits. */
export const REVOCATION_CHANNEL = "gatehouse_revocation";

/** Seconds: the maximum TOKEN_LIFETIME and an hour, because a revocation must outlast the slowest process's clock. */
const KEPT_SECONDS = 86_400 + 3_600;
/** The expiry of a new revocation, by PostgreSQL's clock. */
export const forgottenOn = (sql: Queries) => sql`now() + make_interval(secs => ${KEPT_SECONDS})`;

/** Revokes one access token. @returns false if it was already revoked */
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

/** Seconds by which look-ups overlap, because a transaction may commit later than its timestamp. */
const OVERLAP_SECONDS = 60;

export interface Revoked {
  now: Date;
  next: Date;
  added: { id: string; expiresOn: Date }[];
}

/** Revocations of all tenants, for each process's memory. @param since the earliest time; undefined: all */
export async function listRevoked(sql: Queries, since: Date | undefined): Promise<Revoked> {
  const rows = await sql<{ now: Date; next: Date; id: string | null; expiresOn: Date }[]>`
    select now(), now() - make_interval(secs => ${OVERLAP_SECONDS}) as next, id, expires_on as "expiresOn"
    from (select) one left join revoked_tokens
      on revoked_on >= coalesce(${since ?? null}::timestamptz, '-infinity') and expires_on > now()`;
  const { now, next } = rows[0]!;
  return { now, next, added: rows.flatMap(({ id, expiresOn }) => (id === null ? [] : [{ id, expiresOn }])) };
}

export async function deleteExpiredRevocations(sql: Queries): Promise<number> {
  return (await sql`delete from revoked_tokens where expires_on < now()`).count;
}
