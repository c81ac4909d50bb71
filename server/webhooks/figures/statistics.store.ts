import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import { type ConnectionId, lowestIdOf, type TenantId } from "../../platform/ids.ts";
import { newestClosed } from "../states.store.ts";
import { countedOutcomes } from "./hours.store.ts";

/** Deliveries that reached this state in a slice of time, or attempts that failed in it. */
export interface SliceCount {
  from: Date;
  state: DeliveryState | "Failed";
  count: number;
}

/** By the time of reaching a state, also states before a redelivery; no pings. @param since the first slice's start */
export async function countBySlice(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  since: Date,
  sliceMs: number,
): Promise<SliceCount[]> {
  return sql<SliceCount[]>`
    select date_bin(${sliceMs} * interval '1 millisecond', reached_on, ${since}) as "from", state,
      sum(count)::bigint as count
    from ${countedOutcomes(sql, tenantId, since)} where connection_id = ${connectionId}
    group by 1, 2
    union all
    select date_bin(${sliceMs} * interval '1 millisecond', started_on, ${since}), 'Failed', count(*)
    from attempts where failed_to = ${connectionId} and started_on >= ${since}
    group by 1`;
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export interface AnswerTimes {
  /** The index of the slice, from 0. */
  slice: number;
  /** The median and the 95th percentile of response times, in milliseconds. */
  p50: number;
  p95: number;
}

/**
 * Durations of each ended delivery's last answered attempt, by event time. Samples a few from each of `starts`, so the cost
 * is independent of traffic.
 * @param starts in order; each extends to the next, and a fixed number of them forms a slice
 * @param max deliveries sampled from each start
 */
export async function sampleAnswerTimes(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  starts: readonly Date[],
  startsPerSlice: number,
  max: number,
): Promise<AnswerTimes[]> {
  const rows = await sql<{ slice: number; times: [number, number] }[]>`
    with part as (
      select number, lowest, lead(lowest, 1, ${LAST_ID}::uuid) over (order by number) as next
      from unnest(${starts.map(lowestIdOf)}::uuid[]) with ordinality as t (lowest, number)
    )
    select ((part.number - 1) / ${startsPerSlice}::int)::int as slice,
      percentile_cont(array[0.5, 0.95]) within group (order by a.duration_ms) as times
    from part cross join lateral (
      ${newestClosed(
        sql,
        sql`d.tenant_id = ${tenantId} and d.connection_id = ${connectionId}
          and d.event_id >= part.lowest and d.event_id < part.next and not d.is_ping`,
      )} limit ${sql.unsafe(`${max}`)}
    ) d cross join lateral (
      select a.duration_ms from attempts a
      where a.event_id = d.event_id and a.delivery_id = d.id and a.number = d.attempts and a.status_code is not null offset 0
    ) a
    group by 1`;
  return rows.map(({ slice, times: [p50, p95] }) => ({ slice, p50: Math.round(p50), p95: Math.round(p95) }));
}
