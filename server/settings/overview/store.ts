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
    select hour, state, count
    from generate_series(${since}, now(), interval '1 hour') as hour
    -- Hour by hour, for PostgreSQL takes a table grouped by hours to have as many groups as rows, and sorts it on disk.
    cross join lateral (
      select state, count(*) as count from deliveries
      where tenant_id = ${tenantId} and changed_on >= hour and changed_on < hour + interval '1 hour'
        and connection_id = any (${connectionIds}::uuid[])
      group by state
    ) of_hour
    order by hour`;
}
