// What the overview counts. Each is one statement over an index made for it: the tenant's last day, and what waits.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenants/index.ts";

/** So many deliveries came to this state in one hour. */
export interface HourCount {
  /** The hour's beginning. */
  hour: Date;
  state: DeliveryState;
  count: number;
}

/** Deliveries by the hour in which they came to the state they are in. */
export async function countByHour(
  sql: Queries,
  tenantId: TenantId,
  connectionIds: string[],
  since: Date,
): Promise<HourCount[]> {
  return sql<HourCount[]>`
    select date_trunc('hour', changed_on, 'UTC') as hour, state, count(*) as count
    from deliveries
    where tenant_id = ${tenantId} and changed_on >= ${since} and connection_id = any (${connectionIds}::uuid[])
    group by 1, 2 order by 1`;
}
