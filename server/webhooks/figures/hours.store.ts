// Outcomes by the hour. Maintenance counts each hour once, when no outcome can be added to it any more.

import type { Queries, Sql, Transaction } from "../../platform/db/sql.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isClosed, isOpen } from "../states.store.ts";

/** More than the longest chart. */
const KEPT_DAYS = 8;
/** Of yesterday and today: a page counts them in a few milliseconds. */
const FEW_DELIVERIES = 1_000;
/** A transaction's start is visible to others a moment later. */
const SETTLING_SECONDS = 60;

/** The start of the first of the last 24 hours, including the current one. */
export const firstOfDay = () => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 23 * HOUR_MS);

/**
 * Outcomes: connection_id, state, reached_on, count. Those of counted hours are at the hour's start, others are single. The
 * present state of each delivery, and those before each redelivery, so a later success changes no past hour.
 * @param since the start of an hour
 */
export function countedOutcomes(sql: Queries, tenantId: TenantId, since: Date) {
  const until = sql`coalesce((
    select counted_until from counted_outcomes
    where tenant_id = ${tenantId} and counted_from <= ${since} and counted_until > ${since}
  ), ${since}::timestamptz)`;
  return sql`(
    select connection_id, state, hour as reached_on, count from outcome_hours
    where tenant_id = ${tenantId} and hour >= ${since} and hour < ${until}
    union all
    select d.connection_id, d.state, d.changed_on, 1 from deliveries d
    where d.tenant_id = ${tenantId} and ${isClosed(sql)} and d.changed_on >= ${until} and not d.is_ping
    union all
    select d.connection_id, d.state, d.changed_on, 1 from deliveries d
    where d.tenant_id = ${tenantId} and ${isOpen(sql)} and d.changed_on >= ${since} and not d.is_ping
    union all
    select connection_id, state, reached_on, 1 from former_outcomes
    where tenant_id = ${tenantId} and reached_on >= ${since}
      and (state = 'Held' or reached_on >= ${until})
  ) as outcomes`;
}

/**
 * Counts the tenant's hours that have ended.
 * @param now default: PostgreSQL's
 * @returns the end of its counted hours
 */
export function countHours(sql: Sql, tenantId: TenantId, now?: Date): Promise<Date> {
  return sql.beginFor(tenantId, async (tx) => {
    await tx`
      insert into counted_outcomes (tenant_id, counted_from, counted_until)
      select ${tenantId}, first, first from date_trunc('hour', now() - make_interval(days => ${KEPT_DAYS}), 'UTC') as first
      on conflict do nothing`;
    const [counted] = await tx<{ until: Date }[]>`
      select counted_until as until from counted_outcomes where tenant_id = ${tenantId} for update`;
    const from = counted!.until;
    const until = await readSettled(tx, now);
    if (until <= from) return from;
    await tx`
      with counted as (
        insert into outcome_hours (tenant_id, hour, connection_id, state, count)
        select ${tenantId}, date_trunc('hour', reached_on, 'UTC'), connection_id, state, count(*)
        from (
          select d.connection_id, d.state, d.changed_on as reached_on from deliveries d
          where d.tenant_id = ${tenantId} and ${isClosed(tx)} and not d.is_ping
            and d.changed_on >= ${from} and d.changed_on < ${until}
          union all
          select connection_id, state, reached_on from former_outcomes
          where tenant_id = ${tenantId} and state <> 'Held' and reached_on >= ${from} and reached_on < ${until}
        ) outcomes
        group by 2, 3, 4
      )
      update counted_outcomes set counted_until = ${until} where tenant_id = ${tenantId}`;
    return until;
  });
}

/**
 * The end of the last hour that gets no more outcomes. An outcome has the time of its transaction's start, and may be
 * committed in a later hour. So an hour is settled when all transactions that began in it have ended. A session that this
 * role may not see counts as one that began long ago.
 */
async function readSettled(tx: Transaction, now: Date | undefined): Promise<Date> {
  const [row] = await tx<{ until: Date }[]>`
    select date_trunc('hour', least(coalesce(${now ?? null}::timestamptz, clock_timestamp()) - make_interval(secs => ${SETTLING_SECONDS}), min(
      case when a.xact_start is not null then a.xact_start
        when coalesce(a.state, 'disabled') = 'disabled' then timestamptz 'epoch' end
    )), 'UTC') as until
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and l.pid <> pg_backend_pid() and a.datname = current_database()
      and a.usesysid is not null`;
  return row!.until;
}

/** Of days that retention has removed, and of hours that no chart shows. */
export async function removeOldHours(sql: Queries): Promise<number> {
  const { count } = await sql`
    delete from outcome_hours h using tenants t
    where t.id = h.tenant_id and (
      h.hour < now() - least(t.retention_days * interval '1 day', make_interval(days => ${KEPT_DAYS}))
      or h.hour < (select max(partition_end(parent, starts_on)) from removals where parent = 'events')
    )`;
  return count;
}

/** Tenants with more than a few deliveries, as maintenance last measured, and those whose hours are counted already. */
export async function listBusyTenants(sql: Queries): Promise<TenantId[]> {
  const rows = await sql<{ id: TenantId }[]>`
    select t.id from tenants t
    where exists (select from counted_outcomes where tenant_id = t.id) or (
      select sum(rows) from kept_days
      where tenant_id = t.id and name = 'deliveries_closed' and day >= (now() at time zone 'UTC')::date - 1
    ) > ${FEW_DELIVERIES}`;
  return rows.map(({ id }) => id);
}
