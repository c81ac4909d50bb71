// Outcomes of a tenant's deliveries by slices of time.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import type { Sliced } from "../../platform/slices.ts";

/** Deliveries that reached a state, regardless of later changes, or attempts that failed. No pings. */
export interface OutcomeCount extends Sliced {
  connectionId: ConnectionId;
  state: DeliveryState | "Failed";
  count: number;
}

/** Without Pending and Retrying, which leave a slice again. @param from the start of a slice */
export async function countOutcomes(
  sql: Queries,
  tenantId: TenantId,
  from: Date,
  to: Date,
  sliceMs: number,
): Promise<OutcomeCount[]> {
  return sql<OutcomeCount[]>`
    select date_bin(${sliceMs} * interval '1 millisecond', changed_on, ${from}) as "from",
      connection_id as "connectionId", state, count(*) as count
    from deliveries
    where tenant_id = ${tenantId} and changed_on >= ${from} and changed_on < ${to} and not is_ping
      and state in ('Held', 'Delivered', 'Exhausted', 'Cancelled')
    group by 1, 2, 3
    union all
    select date_bin(${sliceMs} * interval '1 millisecond', reached_on, ${from}), connection_id, state, count(*)
    from former_outcomes
    where tenant_id = ${tenantId} and reached_on >= ${from} and reached_on < ${to}
    group by 1, 2, 3
    union all
    select date_bin(${sliceMs} * interval '1 millisecond', a.started_on, ${from}), a.failed_to, 'Failed', count(*)
    from webhook_connections c
    join attempts a on a.failed_to = c.id and a.started_on >= ${from} and a.started_on < ${to}
    where c.tenant_id = ${tenantId}
    group by 1, 2`;
}

/** Open deliveries, by the time of their last change. */
export async function countOpen(
  sql: Queries,
  tenantId: TenantId,
  from: Date,
  sliceMs: number,
): Promise<OutcomeCount[]> {
  return sql<OutcomeCount[]>`
    select date_bin(${sliceMs} * interval '1 millisecond', changed_on, ${from}) as "from",
      connection_id as "connectionId", state, count(*) as count
    from deliveries
    where tenant_id = ${tenantId} and changed_on >= ${from} and not is_ping and state in ('Pending', 'Retrying')
    group by 1, 2, 3`;
}
