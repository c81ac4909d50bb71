// Back-channel logouts. A trigger inserts the rows wherever a session ends.

import { LOGOUT_STATES, type LogoutState } from "../../../workflows/contract.ts";
import type { Lease } from "../../platform/db/leases.store.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { LogoutId, TenantId } from "../../platform/ids.ts";
import type { posting } from "../../webhooks/index.ts";
import type { ClientSessionEnd } from "../oauth/tokens/logout-token.ts";

/** Notified by the trigger, and by each logout that ends, because another may wait for its place. */
export const LOGOUT_CHANNEL = "gatehouse_logout";
/** Days for which an ended logout is kept and can be resent. */
const KEEP_DAYS = 30;

const OPEN: readonly LogoutState[] = LOGOUT_STATES.slice(0, 2);

export interface DueLogout {
  id: LogoutId;
  tenantId: TenantId;
  clientId: number;
  userId: number;
  run: number;
  /** The client's name, or its Id if it has no name. */
  to: string;
}

export const LOGOUT_LEASE: Lease = { table: "logouts" };

/**
 * Limits of logouts in progress, without those waiting for a retry; the rest waits in PostgreSQL. Few of a tenant may
 * be between start and first post, because all tenants share that queue. Several workers may exceed these slightly.
 */
export const MAX_UNDER_WAY = { ofClient: 10, ofTenant: 200, starting: 20 };

/** Leases new logouts and those not checked recently. In round-robin order of clients and tenants, so slow ones delay no others. */
export async function leaseLogouts(sql: Queries, checkMs: number, limit: number): Promise<DueLogout[]> {
  return sql<DueLogout[]>`
    with under_way as (
      select tenant_id, client_id, count(*), count(*) filter (where attempts = earlier_attempts) as starting from logouts
      where state in ('Pending', 'Retrying') and lease_until > '-infinity' and coalesce(retry_on, now()) <= now()
      group by tenant_id, client_id
    ), waiting as (
      select l.id, l.tenant_id,
        coalesce(u.count, 0) + row_number() over (partition by l.client_id order by l.created_on, l.id) as of_client
      from logouts l left join under_way u on u.client_id = l.client_id
      where l.state in ('Pending', 'Retrying') and l.lease_until = '-infinity'
    ), ranked as (
      select id, coalesce(count, 0) + place as of_tenant, coalesce(starting, 0) + place as starting
      from (select *, row_number() over (partition by tenant_id order by of_client, id) as place from waiting) w
      left join (select tenant_id, sum(count) as count, sum(starting) as starting from under_way group by tenant_id) u using (tenant_id)
      where of_client <= ${MAX_UNDER_WAY.ofClient}
    ), due as (
      select l.id from logouts l left join ranked t on t.id = l.id
      where l.state in ('Pending', 'Retrying') and l.lease_until < now()
        and (l.lease_until > '-infinity'
          or t.of_tenant <= ${MAX_UNDER_WAY.ofTenant} and t.starting <= ${MAX_UNDER_WAY.starting})
      order by t.of_tenant nulls last limit ${limit} for update of l skip locked
    )
    update logouts l set lease_until = now() + ${checkMs} * interval '1 millisecond'
    from due, applications a
    where l.id = due.id and a.id = l.client_id
    returning l.id, l.tenant_id as "tenantId", l.client_id as "clientId", l.user_id as "userId", l.run,
      coalesce(a.name, a.id::text) as to`;
}

export interface OpenLogout extends ClientSessionEnd {
  state: LogoutState;
  /** True if an attempt is started; otherwise the logout has ended or must wait. */
  isStarted: boolean;
  /** This call has ended it. */
  hasJustEnded: boolean;
  /** The attempt's number, or the number of attempts so far. */
  number: number;
  numberInRun: number;
  /** Milliseconds until an attempt may start. */
  waitMs: number;
  uri: string;
  /** The address was named by an unvouched client. */
  isStrangers: boolean;
}

/**
 * Starts an attempt if it is due. An earlier one without a result was lost with its worker; if that was the last, the
 * logout is Exhausted. If the client no longer has a logout address, it is Cancelled.
 * @param startedBy a key of the caller: repeating a call after a lost response returns the same attempt
 * @returns undefined if its client was deleted
 */
export async function startLogoutAttempt(
  sql: Queries,
  tenantId: TenantId,
  id: LogoutId,
  maxAttempts: number,
  startedBy: string,
): Promise<OpenLogout | undefined> {
  const [row] = await sql<OpenLogout[]>`
    with found as (
      select l.*, k.backchannel_logout_uri as uri, k.id_token_alg as alg, k.logout_token_type as typ,
        exists (select from registered_clients r where r.application_id = l.client_id and r.is_open
          and not 'BackchannelLogoutUri' = any(r.administrator_set)) as is_strangers,
        k.subject_type, k.sector_identifier_uri, k.redirect_uris,
        (select t.subject_key from tenants t where t.id = l.tenant_id) as subject_key,
        coalesce(l.attempt_opened_by = ${startedBy} and exists (
          select from logout_attempts t where t.logout_id = l.id and t.duration_ms is null and t.failure is null
        ), false) as mine,
        greatest(0, 1000 * extract(epoch from l.retry_on - now()))::float8 as wait_ms
      from logouts l join credentials k on k.application_id = l.client_id
      where l.tenant_id = ${tenantId} and l.id = ${id} for update of l
    ), judged as (
      select *, not mine and state in ('Pending', 'Retrying') and uri is not null
          and attempts - earlier_attempts < ${maxAttempts} and coalesce(wait_ms, 0) = 0 as begins,
        case when mine or state not in ('Pending', 'Retrying') then state when uri is null then 'Cancelled'
          when attempts - earlier_attempts >= ${maxAttempts} then 'Exhausted' else state end as becomes
      from found
    ), lost as (
      update logout_attempts t set failure = 'lost' from judged j
      where t.logout_id = j.id and t.duration_ms is null and t.failure is null
        and (j.begins or j.becomes <> j.state)
    ), started as (
      insert into logout_attempts (logout_id, number, started_on)
      select id, attempts + 1, clock_timestamp() from judged where begins
    )
    update logouts l set state = j.becomes, attempt_opened_by = ${startedBy}, attempts = l.attempts + j.begins::int,
      reason = case when j.becomes = l.state then l.reason when j.becomes = 'Cancelled' then 'no address any more'
        else 'lost' end,
      ended_on = case when j.becomes = l.state then l.ended_on else now() end
    from judged j where l.id = j.id
    returning ${wakeForNext(sql, tenantId)}, l.state, j.begins or j.mine as "isStarted", j.becomes <> j.state as "hasJustEnded", l.attempts as number, l.attempts - l.earlier_attempts as "numberInRun",
      coalesce(j.wait_ms, 0) as "waitMs", l.client_id as "clientId", l.user_id as "userId", l.sid, j.alg, j.typ,
      coalesce(j.uri, '') as uri, j.is_strangers as "isStrangers", j.subject_type as "subjectType", j.sector_identifier_uri as "sectorIdentifierUri",
      j.redirect_uris as "redirectUris", j.subject_key as "sealedSubjectKey",
      l.tenant_id as "tenantId"`;
  return row;
}

/**
 * @param nextInMs undefined: no further attempt
 * @returns the logout's state; undefined if its client was deleted
 */
export async function recordLogout(
  sql: Queries,
  tenantId: TenantId,
  id: LogoutId,
  attempt: posting.Attempt,
  reached: { state: LogoutState; reason: string; nextInMs: number | undefined },
): Promise<LogoutState | undefined> {
  const isEnd = !OPEN.includes(reached.state);
  const [row] = await sql<{ state: LogoutState }[]>`
    with attempt as (
      update logout_attempts t set duration_ms = ${attempt.durationMs}, status_code = ${attempt.statusCode},
        failure = ${attempt.failure}, response_headers = ${attempt.responseHeaders},
        response_body = ${attempt.responseBody}
      from logouts l
      where l.tenant_id = ${tenantId} and l.id = ${id} and t.logout_id = l.id and t.number = ${attempt.number}
    )
    update logouts set state = ${reached.state}, reason = ${reached.state === "Delivered" ? null : reached.reason},
      retry_on = now() + ${reached.nextInMs ?? null}::float8 * interval '1 millisecond',
      ended_on = case when ${isEnd} then now() end
    where tenant_id = ${tenantId} and id = ${id}
      and (state in ('Pending', 'Retrying') or ${reached.state === "Delivered"})
    returning state, ${wakeForNext(sql, tenantId)}`;
  return row?.state ?? (await findState(sql, tenantId, id))?.state;
}

/** Notifies that a place is free, if a logout of the tenant waits for one. */
const wakeForNext = (sql: Queries, tenantId: TenantId) => sql`case when exists (
    select from logouts where tenant_id = ${tenantId} and state in ('Pending', 'Retrying') and lease_until = '-infinity'
  ) then pg_notify(${LOGOUT_CHANNEL}, '') end`;

/** The post was not sent, so it does not count as an attempt. */
export async function revertLogoutAttempt(
  sql: Queries,
  tenantId: TenantId,
  id: LogoutId,
  number: number,
): Promise<void> {
  await sql`
    with taken as (
      update logouts set attempts = attempts - 1
      where tenant_id = ${tenantId} and id = ${id} and attempts = ${number} returning id
    )
    delete from logout_attempts t using taken where t.logout_id = taken.id and t.number = ${number}`;
}

/**
 * Ends a logout without an attempt, unless this run has fewer attempts than `minAttempts`.
 * @returns its resulting state, and whether this call ended it; undefined if its client was deleted
 */
export async function closeOpenLogout(
  sql: Queries,
  tenantId: TenantId,
  id: LogoutId,
  state: LogoutState,
  reason: string,
  minAttempts: number,
): Promise<{ state: LogoutState; attempts: number; hasJustEnded: boolean } | undefined> {
  const [closed] = await sql<{ state: LogoutState; attempts: number }[]>`
    with closed as (
      update logouts set state = ${state}, reason = ${reason}, ended_on = now()
      where tenant_id = ${tenantId} and id = ${id} and state in ('Pending', 'Retrying')
        and attempts - earlier_attempts >= ${minAttempts}
      returning id, state, attempts
    ), lost as (
      update logout_attempts t set failure = 'lost' from closed
      where t.logout_id = closed.id and t.duration_ms is null and t.failure is null
    )
    select state, attempts from closed`;
  const found = closed ?? (await findState(sql, tenantId, id));
  return found && { ...found, hasJustEnded: closed !== undefined };
}

async function findState(sql: Queries, tenantId: TenantId, id: LogoutId) {
  const [row] = await sql<{ state: LogoutState; attempts: number }[]>`
    select state, attempts from logouts where tenant_id = ${tenantId} and id = ${id}`;
  return row;
}

/** @returns the number removed in all tenants */
export async function removeOldLogouts(sql: Sql): Promise<number> {
  return (await sql`delete from logouts where ended_on < now() - make_interval(days => ${KEEP_DAYS})`).count;
}
