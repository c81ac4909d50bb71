import { type Queries, type Sql, type Transaction, uuids } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import { type ConnectionId, lowestIdOf, type TenantId } from "../../platform/ids.ts";
import { usedOfLimits } from "../../platform/limits/index.ts";
import { NEAR_PERCENT, type TenantBounds } from "../../platform/tenant-limits.ts";
import { type Actor, logTable } from "../../records/index.ts";
import { outcomes } from "../figures/outcomes.store.ts";
import { isOpen } from "../states.store.ts";
import { ALERT, type AlertFilter, type AlertKind, RULES } from "./contract.ts";

interface Further {
  sequence: number;
  acknowledgedByType: "User" | "Application" | null;
  acknowledgedById: number | null;
}
export type Alert = LogRow<typeof ALERT.field> & Further;

const STATE = (sql: Queries) => sql`
  case when ended_on is not null then 'Ended'
    when acknowledged_on is not null and coalesce(acknowledged_until > now(), true) then 'Acknowledged'
    else 'Open' end`;

export const ALERTS = logTable<typeof ALERT.field, AlertFilter, Further & Pick<Alert, "state">>(ALERT, {
  more: { state: STATE, sequence: null, acknowledgedByType: null, acknowledgedById: null },
  matching: (sql, { State }) => sql`
    ${State === undefined ? sql`` : sql`and ${STATE(sql)} = ${State}`}
    ${State === undefined || State === "Ended" ? sql`` : sql`and ended_on is null`}`,
});

export async function findAlerts(sql: Queries, tenantId: TenantId, ids: readonly string[]): Promise<Alert[]> {
  return sql<Alert[]>`
    select ${ALERTS.columns(sql)} from alerts where tenant_id = ${tenantId} and id = any (${uuids(sql, ids)})`;
}

/** @returns undefined if it has ended */
export async function acknowledge(
  tx: Transaction,
  tenantId: TenantId,
  id: string,
  actor: Actor,
  until: Date | null,
): Promise<Alert | undefined> {
  const [row] = await tx<Alert[]>`
    update alerts set acknowledged_on = now(), acknowledged_by_type = ${actor.type}, acknowledged_by_id = ${actor.id},
      acknowledged_until = ${until}, sequence = sequence + 1
    where tenant_id = ${tenantId} and id = ${id} and ended_on is null
    returning ${ALERTS.columns(tx)}`;
  return row;
}

/** An arbitrary constant, unique among our advisory locks: only one worker checks at a time. */
const ALERTS_LOCK = 7_203_433;

/** A condition that an alert reports, as long as it lasts. */
export interface AlertCause {
  tenantId: TenantId;
  kind: AlertKind;
  connectionId: ConnectionId | null;
  reason: string;
}

/** The causes of all tenants; undefined if another worker is checking. */
export async function listAlertCauses(
  tx: Transaction,
  now: Date,
  limits: TenantBounds,
): Promise<AlertCause[] | undefined> {
  const [turn] = await tx<{ mine: boolean }[]>`select pg_try_advisory_xact_lock(${ALERTS_LOCK}) as mine`;
  if (!turn!.mine) return undefined;
  const { errorRate, backlog, failedSignIns, failedLogouts } = RULES;
  const before = (minutes: number) => lowestIdOf(new Date(now.getTime() - 60_000 * minutes));
  return tx<AlertCause[]>`
    with connection as (
      select tenant_id, id, state, held_reason from webhook_connections where deleted_on is null
    ), failing as materialized (
      -- Only of these it is worth counting: each exhausted delivery has a last attempt, which failed.
      select c.tenant_id, c.id
      from (
        select failed_to from attempts
        where failed_to is not null and started_on > now() - make_interval(hours => ${errorRate.hours})
        group by failed_to having count(distinct delivery_id) >= ${errorRate.min}
      ) f join connection c on c.id = f.failed_to
    )
    select tenant_id as "tenantId", 'ConnectionHeld' as kind, id as "connectionId", coalesce(held_reason, '') as reason
    from connection where state = 'Held'
    union all
    select c.tenant_id, 'FilterFailed', c.id, 'the filter failed at the event ' || f.event_id || ', which was sent'
    from failed_filters f join connection c on c.id = f.connection_id
    union all
    select c.tenant_id, 'ErrorRate', c.id, rate.exhausted || ' of ' || rate.ended || ' deliveries failed in an hour'
    from (select distinct tenant_id from failing) t cross join lateral (
      -- A tenant's hour is read once, however many of its connections fail.
      select connection_id, count(*) filter (where state = 'Exhausted') as exhausted, count(*) as ended,
        max(changed_on) filter (where state = 'Exhausted') as exhausted_on
      from ${outcomes(tx, tx`t.tenant_id`, tx`now() - make_interval(hours => ${errorRate.hours})`)}
      where state in ('Delivered', 'Exhausted')
      group by connection_id
    ) rate join failing c on c.id = rate.connection_id
    where rate.exhausted >= ${errorRate.min} and 100 * rate.exhausted >= ${errorRate.percent} * rate.ended
      -- When older successes leave the hour, a receiver that has recovered is not reported again.
      and (rate.exhausted_on > now() - make_interval(mins => ${errorRate.lateMinutes}) or exists (
        select from alerts a where a.tenant_id = t.tenant_id and a.kind = 'ErrorRate' and a.connection_id = c.id
          and a.ended_on is null
      ))
    union all
    select c.tenant_id, 'Backlog', c.id, 'deliveries wait for more than ' || ${backlog.minutes}::int || ' minutes'
    from connection c
    where c.state = 'Active' and exists (
      select from deliveries d
      where d.tenant_id = c.tenant_id and d.connection_id = c.id and ${isOpen(tx)}
        and not d.is_ping and d.event_id is not null and d.event_id < ${before(backlog.minutes)}
    )
    union all
    select t.id, 'FailedSignIns', null, failures.count || ' sign-ins failed in ' || ${failedSignIns.minutes}::int || ' minutes'
    from tenants t cross join lateral (
      select count(*) as count from audit_log a
      where a.tenant_id = t.id and a.outcome = 'Failure' and a.id >= ${before(failedSignIns.minutes)}
        and a.kind in ('SignIn.Failed', 'SecondFactor.Failed')
    ) failures
    where failures.count >= ${failedSignIns.count}
    union all
    -- One of a tenant, as a receiver's outage is most often that of several applications.
    select tenant_id, 'FailedLogouts', null, sum(exhausted) || ' of ' || sum(ended) || ' logouts failed in an hour, of Application '
      || string_agg(client_id::text, ', ' order by client_id)
    from (
      select tenant_id, client_id, count(*) filter (where state = 'Exhausted') as exhausted, count(*) as ended
      from logouts
      where state in ('Delivered', 'Exhausted') and ended_on > now() - make_interval(hours => ${failedLogouts.hours})
      group by tenant_id, client_id
    ) rate
    where exhausted >= ${failedLogouts.min} and 100 * exhausted >= ${failedLogouts.percent} * ended
    group by tenant_id
    union all
    select tenant_id, 'MailHeld', null, 'mails wait because the mail server is down: ' || max(reason)
    from mails where state = 'Held' group by tenant_id
    union all
    select tenant_id, 'SignUps', null, count(*) || ' people wait for your approval'
    from sign_ups where user_id is not null group by tenant_id
    union all
    select tenant_id, 'NearLimit', null, string_agg(name || ' is at ' || 100 * used / bound || ' %', ', ' order by name)
      || '. The page Data says what to do.'
    from (${usedOfLimits(tx, limits)}) l
    where 100 * used >= ${NEAR_PERCENT} * bound or (100 * used >= ${RULES.nearLimit.endPercent} * bound and exists (
      select from alerts a where a.tenant_id = l.tenant_id and a.kind = 'NearLimit' and a.ended_on is null
    ))
    group by tenant_id`;
}

export type TenantAlert = Alert & { tenantId: TenantId };

/** Raises new alerts, and ends those without a cause. */
export async function saveAlertCauses(
  tx: Transaction,
  causes: readonly AlertCause[],
): Promise<{ raised: TenantAlert[]; ended: TenantAlert[] }> {
  const of = <T>(value: (one: AlertCause) => T) => causes.map(value);
  const ended = await tx<TenantAlert[]>`
    update alerts a set ended_on = now(), sequence = sequence + 1
    where ended_on is null and not exists (
      select from unnest(${of((one) => one.tenantId)}::uuid[], ${of((one) => one.kind)}::text[],
        ${of((one) => one.connectionId)}::uuid[]) as s (tenant_id, kind, connection_id)
      where s.tenant_id = a.tenant_id and s.kind = a.kind and s.connection_id is not distinct from a.connection_id
    )
    returning tenant_id as "tenantId", ${ALERTS.columns(tx)}`;
  const raised = await tx<TenantAlert[]>`
    insert into alerts (id, tenant_id, kind, connection_id, reason)
    select * from unnest(${of(() => Bun.randomUUIDv7())}::uuid[], ${of((one) => one.tenantId)}::uuid[],
      ${of((one) => one.kind)}::text[], ${of((one) => one.connectionId)}::uuid[], ${of((one) => one.reason)}::text[])
    on conflict do nothing
    returning tenant_id as "tenantId", ${ALERTS.columns(tx)}`;
  return { raised, ended };
}

/** Days for which an ended alert is kept. */
export const KEEP_DAYS = 90;

export async function removeOldAlerts(sql: Sql): Promise<number> {
  return (await sql`delete from alerts where ended_on < now() - make_interval(days => ${KEEP_DAYS})`).count;
}
