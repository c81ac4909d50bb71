import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { clientVersion } from "../clients/store.ts";

export interface PushedRequest {
  parameters: string;
  /** The browser did not use it in time. */
  isExpired: boolean;
  isUsed: boolean;
  createdOn: Date;
  /** Of the client, now. */
  version: string | null;
}

/** Seconds for the user to sign in after the request was opened in time. */
export const TIME_TO_SIGN_IN = 30 * 60;
const KEPT = `${TIME_TO_SIGN_IN} seconds`;
/** Each insertion deletes this many expired requests of the same client. */
const CLEARED = 10;

export interface NewPush {
  clientId: number;
  digest: Buffer;
  parameters: string;
  /** The origin of the push, if the client has no secret. */
  network?: string | undefined;
  object?: { digest: Buffer; until: Date } | undefined;
}

/** @param seconds until the browser must use it @returns false if a limit is reached or the request exists */
export async function insertPush(
  sql: Queries,
  tenantId: TenantId,
  { clientId, digest, parameters, network, object }: NewPush,
  seconds: number,
  max: { client: number; address: number },
): Promise<boolean> {
  const waiting = (where: ReturnType<Queries>, limit: number) => sql`
    (select count(*) from (
      select from pushed_requests
      where tenant_id = ${tenantId} and client_id = ${clientId} and used_on is null and ${where} limit ${limit}) waiting)`;
  const rows = await sql`
    with cleared as (
      delete from pushed_requests where digest in (
        select digest from pushed_requests
        where tenant_id = ${tenantId} and client_id = ${clientId}
          and expires_on < now() - case when used_on is null then ${KEPT}::interval else '0' end
        limit ${CLEARED} for update skip locked)
    )
    insert into pushed_requests (digest, tenant_id, client_id, parameters, network, object, object_until, expires_on)
    select ${digest}, ${tenantId}, ${clientId}, ${parameters}, ${network ?? null}, ${object?.digest ?? null}::bytea,
      ${object?.until ?? null}::timestamptz, now() + make_interval(secs => ${seconds})
    where ${waiting(sql`true`, max.client)} < ${max.client}
      ${network === undefined ? sql`` : sql`and ${waiting(sql`network = ${network}`, max.address)} < ${max.address}`}
    on conflict (digest) do nothing
    returning digest`;
  return rows.length > 0;
}

export async function findPush(
  sql: Queries,
  tenantId: TenantId,
  clientId: number,
  digest: Buffer,
): Promise<PushedRequest | undefined> {
  const [row] = await sql<PushedRequest[]>`
    select parameters, expires_on <= now() as "isExpired", used_on is not null as "isUsed",
      created_on as "createdOn", ${clientVersion(sql, clientId)} as version
    from pushed_requests
    where tenant_id = ${tenantId} and client_id = ${clientId} and digest = ${digest}
      and expires_on > now() - ${KEPT}::interval`;
  return row;
}

/**
 * For a statement: uses up the request and its request object. The row of `first` has `is_first`: false if one of them was
 * already used.
 */
export const takenPush = (sql: Queries, tenantId: TenantId, digest: Buffer) => sql`
  taken as (
    update pushed_requests set used_on = now(), expires_on = greatest(expires_on, object_until)
    where tenant_id = ${tenantId} and digest = ${digest} and used_on is null
    returning digest, tenant_id, client_id, object, object_until
  ), object_taken as (
    insert into pushed_requests as p (digest, tenant_id, client_id, parameters, expires_on, used_on)
    select object, tenant_id, client_id, '', object_until, now() from taken where object <> digest
    on conflict (digest) do update set used_on = now(), expires_on = greatest(p.expires_on, excluded.expires_on)
    where p.used_on is null returning digest
  ), first as (
    select exists (select from taken where object is null or object = digest) or exists (select from object_taken)
      as is_first
  )`;

/** @returns false if it was already used */
export async function takePush(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<boolean> {
  const [row] = await sql<{ isFirst: boolean }[]>`
    with ${takenPush(sql, tenantId, digest)} select is_first as "isFirst" from first`;
  return row!.isFirst;
}

export async function removeExpiredPushes(sql: Sql): Promise<number> {
  return (await sql`delete from pushed_requests where expires_on < now() - ${KEPT}::interval`).count;
}
