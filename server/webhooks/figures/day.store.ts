// What a tenant's deliveries came to of late, counted in one pass over an index made for it.

import type { Fragment } from "postgres";
import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/sql.ts";
import type { ConnectionId, TenantId } from "../../ids.ts";

/** So many deliveries came to this state in one hour, whatever became of them later. */
export interface HourCount {
  /** The hour's beginning. */
  hour: Date;
  state: DeliveryState;
  count: number;
}

export interface ConnectionCount {
  connectionId: ConnectionId;
  state: DeliveryState;
  count: number;
}

/** Deliveries by the hour in which they came to a state, and by connection; pings are none. */
export interface Counts {
  byHour: HourCount[];
  byConnection: ConnectionCount[];
  /** Attempts that failed, also those whose delivery arrived later. */
  failedAttempts: number;
}

/**
 * What deliveries came to, as `connection_id`, `state` and `changed_on`: the state that each is in, and those it was in
 * before it was sent again, so that no later success changes what is told of an hour.
 */
export const outcomes = (sql: Queries, tenantId: TenantId | Fragment, since: Date | Fragment) => sql`(
  select connection_id, state, changed_on from deliveries
  where tenant_id = ${tenantId} and changed_on >= ${since} and not is_ping
  union all
  select connection_id, state, reached_on from former_outcomes
  where tenant_id = ${tenantId} and reached_on >= ${since}
) as outcomes`;

/**
 * @param connectionIds of these alone; undefined: of all the tenant's, which spares looking at each
 * @param since the beginning of an hour
 */
export async function countDeliveries(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: ConnectionId[] | undefined,
  since: Date,
): Promise<Counts> {
  const rows = await sql<(HourCount & ConnectionCount)[]>`
    select date_bin('1 hour', changed_on, ${since}) as hour, connection_id as "connectionId", state, count(*) as count
    from ${outcomes(sql, tenantId, since)}
    ${connectionIds ? sql`where connection_id = any (${connectionIds}::uuid[])` : sql``}
    group by grouping sets ((1, state), (connection_id, state))`;
  const [failed] = await sql<{ count: number }[]>`
    select count(*) as count from webhook_connections c join attempts a on a.failed_to = c.id and a.started_on >= ${since}
    where c.tenant_id = ${tenantId} ${connectionIds ? sql`and c.id = any (${connectionIds}::uuid[])` : sql``}`;
  const byHour = rows.filter((row) => row.hour);
  return { byHour, byConnection: rows.filter((row) => row.connectionId), failedAttempts: failed!.count };
}

/** Those that are not deleted. */
export async function countConnections(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from webhook_connections where tenant_id = ${tenantId} and deleted_on is null`;
  return row!.count;
}
