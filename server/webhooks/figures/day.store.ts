// Recent outcomes of a tenant's deliveries, counted in one pass over a dedicated index.

import type { Fragment } from "postgres";
import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { countedOutcomes } from "./hours.store.ts";

/** Deliveries that reached this state in one hour, regardless of later changes. */
export interface HourCount {
  hour: Date;
  state: DeliveryState;
  count: number;
}

export interface ConnectionCount {
  connectionId: ConnectionId;
  state: DeliveryState;
  count: number;
}

/** Deliveries by hour of reaching a state and by connection, without pings. */
export interface Counts {
  byHour: HourCount[];
  byConnection: ConnectionCount[];
  /** Failed attempts, including those of deliveries that succeeded later. */
  failedAttempts: number;
}

/** The present state of each delivery, and those before each redelivery, so a later success changes no past hour. */
export const outcomes = (sql: Queries, tenantId: Fragment, since: Fragment) => sql`(
  select connection_id, state, changed_on from deliveries
  where tenant_id = ${tenantId} and changed_on >= ${since} and not is_ping
  union all
  select connection_id, state, reached_on from former_outcomes
  where tenant_id = ${tenantId} and reached_on >= ${since}
) as outcomes`;

/** @param connectionIds undefined: all of the tenant, which is cheaper @param since the start of an hour */
export async function countDeliveries(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: ConnectionId[] | undefined,
  since: Date,
): Promise<Counts> {
  // Grouped once before: grouping sets would hash each delivery twice.
  const rows = await sql<(HourCount & ConnectionCount)[]>`
    select hour, connection_id as "connectionId", state, sum(count)::bigint as count
    from (
      select date_bin('1 hour', reached_on, ${since}) as hour, connection_id, state, sum(count) as count
      from ${countedOutcomes(sql, tenantId, since)}
      ${connectionIds ? sql`where connection_id = any (${connectionIds}::uuid[])` : sql``}
      group by 1, 2, 3
    ) counted
    group by grouping sets ((hour, state), (connection_id, state))`;
  const [failed] = await sql<{ count: number }[]>`
    select count(*) as count from webhook_connections c join attempts a on a.failed_to = c.id and a.started_on >= ${since}
    where c.tenant_id = ${tenantId} ${connectionIds ? sql`and c.id = any (${connectionIds}::uuid[])` : sql``}`;
  const byHour = rows.filter((row) => row.hour);
  return { byHour, byConnection: rows.filter((row) => row.connectionId), failedAttempts: failed!.count };
}

/** Counts connections that are not deleted. */
export async function countConnections(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from webhook_connections where tenant_id = ${tenantId} and deleted_on is null`;
  return row!.count;
}
