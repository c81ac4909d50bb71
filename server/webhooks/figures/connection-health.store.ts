import type { Fragment } from "postgres";
import { keptFrom } from "../../platform/db/partitions.ts";
import type { Queries } from "../../platform/db/sql.ts";
import { DAY_MS, HOUR_MS } from "../../platform/durations.ts";
import { type ConnectionId, type EventId, lowestIdOf, type TenantId } from "../../platform/ids.ts";
import { isOpen } from "../states.store.ts";
import { countedOutcomes, firstOfDay } from "./hours.store.ts";

export interface Health extends Ended, ConnectionBacklog {
  connectionId: ConnectionId;
  /** The deliveries that ended in each of the last 24 hours, the oldest first. */
  hours?: Ended[];
}

export interface Ended {
  delivered: number;
  exhausted: number;
}

export interface ConnectionBacklog {
  /** The number of deliveries in progress, queued or waiting for a retry. */
  open: number;
  held: number;
  /** Those of events older than the tenant's log is kept. They stay until they have ended. */
  overdue: number;
  /** The time of the oldest event with an open delivery. */
  waitsSince: Date | null;
  /** When an attempt last failed, and its result: a status or the failure's name. */
  failedOn: Date | null;
  failure: string | null;
  /** The event of that attempt. */
  failedEventId: EventId | null;
  /** Exhausted deliveries that were not resent, for events of the last 24 hours, and the oldest event's time. */
  unsent: number;
  unsentSince: Date | null;
}

/** Exhausted deliveries that Resume does not send: `count` and `since` for a connection in the last 24 hours. */
export const unsentOf = (sql: Queries, tenantId: TenantId, connectionId: Fragment) => sql`
  select count(*) as count, uuid_extract_timestamp(min(d.event_id::text)::uuid) as since
  from deliveries d
  where d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Exhausted' and not d.is_ping
    and d.event_id >= ${lowestIdOf(new Date(Date.now() - DAY_MS))}`;

/** The health of connections in the last 24 hours, with the same hours as the charts. */
export async function listHealth(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: ConnectionId[],
  retentionMs: number,
): Promise<Health[]> {
  const [ended, backlogs] = await Promise.all([
    countEnded(sql, tenantId, connectionIds),
    listBacklogs(sql, tenantId, connectionIds, retentionMs),
  ]);
  const byId = new Map(ended.map((one) => [one.connectionId, one]));
  return backlogs.map((backlog) => {
    const { delivered, exhausted, hours } = byId.get(backlog.connectionId) ?? NONE_ENDED;
    return { ...backlog, delivered, exhausted, hours };
  });
}

type EndedOfConnection = Ended & { connectionId: ConnectionId; hours: Ended[] };
const HOURS = 24;
const noHours = () => Array.from({ length: HOURS }, (): Ended => ({ delivered: 0, exhausted: 0 }));
const NONE_ENDED = { delivered: 0, exhausted: 0, hours: noHours() };

async function countEnded(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: ConnectionId[],
): Promise<EndedOfConnection[]> {
  const since = firstOfDay();
  const rows = await sql<(Ended & { connectionId: ConnectionId; hour: Date })[]>`
    select connection_id as "connectionId", date_trunc('hour', reached_on, 'UTC') as hour,
      coalesce(sum(count) filter (where state = 'Delivered'), 0)::bigint as delivered,
      coalesce(sum(count) filter (where state = 'Exhausted'), 0)::bigint as exhausted
    from ${countedOutcomes(sql, tenantId, since)}
    where connection_id = any (${connectionIds}::uuid[])
    group by 1, 2`;
  return [...Map.groupBy(rows, ({ connectionId }) => connectionId)].map(([connectionId, own]) => {
    const hours = noHours();
    for (const { hour, delivered, exhausted } of own) {
      // An outcome of the hour that has just begun belongs to the last one of the page.
      const index = Math.min(HOURS - 1, (hour.getTime() - since.getTime()) / HOUR_MS);
      hours[index] = { delivered: hours[index]!.delivered + delivered, exhausted: hours[index]!.exhausted + exhausted };
    }
    const sum = (of: keyof Ended) => own.reduce((total, one) => total + one[of], 0);
    return { connectionId, delivered: sum("delivered"), exhausted: sum("exhausted"), hours };
  });
}

/** One for each connection, in any order. @param retentionMs the installation's RETENTION */
export async function listBacklogs(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: ConnectionId[],
  retentionMs: number,
): Promise<(ConnectionBacklog & { connectionId: ConnectionId })[]> {
  return sql<(ConnectionBacklog & { connectionId: ConnectionId })[]>`
    with waiting as (
      select connection_id, count(*) filter (where state = 'Held') as held, count(*) as all,
        count(*) filter (where event_id < (
          select ${keptFrom(sql, retentionMs)} from tenants t where t.id = ${tenantId}
        )) as overdue
      from deliveries d where tenant_id = ${tenantId} and ${isOpen(sql)} and event_id is not null
        and not is_ping
      group by connection_id
    )
    select c.id as "connectionId", coalesce(w.all - w.held, 0) as open, coalesce(w.held, 0) as held,
      coalesce(w.overdue, 0) as overdue, o.occurred_on as "waitsSince", f.started_on as "failedOn", f.failure, f.event_id as "failedEventId", u.count as unsent, u.since as "unsentSince"
    from unnest(${connectionIds}::uuid[]) as c (id)
    left join waiting w on w.connection_id = c.id
    left join lateral (
      select uuid_extract_timestamp(d.event_id) as occurred_on from deliveries d
      where d.tenant_id = ${tenantId} and d.connection_id = c.id and ${isOpen(sql)}
        and d.event_id is not null and not d.is_ping
      order by d.event_id limit 1
    ) o on w.all > 0
    left join lateral (
      select a.started_on, a.event_id, coalesce(a.failure, a.status_code::text) as failure
      from attempts a where a.failed_to = c.id order by a.started_on desc limit 1
    ) f on true
    cross join lateral (${unsentOf(sql, tenantId, sql`c.id`)}) u`;
}
