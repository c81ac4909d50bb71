// What a tenant's deliveries came to of late, counted in one pass over an index made for it.

import type { ConnectionId, DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/sql.ts";
import type { TenantId } from "../../tenant-id.ts";

/** So many deliveries came to this state in one hour. */
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

/** Deliveries by the hour in which they came to the state they are in, and by connection. */
export interface Counts {
  byHour: HourCount[];
  byConnection: ConnectionCount[];
}

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
    from deliveries
    where tenant_id = ${tenantId} and changed_on >= ${since}
      ${connectionIds ? sql`and connection_id = any (${connectionIds}::uuid[])` : sql``}
    group by grouping sets ((1, state), (connection_id, state))`;
  return { byHour: rows.filter((row) => row.hour), byConnection: rows.filter((row) => row.connectionId) };
}

/** Those that are not deleted. */
export async function countConnections(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from webhook_connections where tenant_id = ${tenantId} and deleted_on is null`;
  return row!.count;
}
