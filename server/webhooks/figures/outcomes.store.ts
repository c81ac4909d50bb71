// Outcomes of a tenant's deliveries by slices of time.

import type { Fragment } from "postgres";
import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import type { Sliced, Slices } from "../../platform/slices.ts";
import { countedOutcomes } from "./hours.store.ts";

/** Deliveries that reached a state, regardless of later changes, or attempts that failed. No pings. */
export interface OutcomeCount extends Sliced {
  connectionId: ConnectionId;
  state: DeliveryState | "Failed";
  count: number;
}

/** The present state of each delivery, and those before each redelivery, so a later success changes no past hour. */
export const outcomes = (sql: Queries, tenantId: Fragment, since: Fragment) => sql`(
  select connection_id, state, changed_on from deliveries
  where tenant_id = ${tenantId} and changed_on >= ${since} and not is_ping
  union all
  select connection_id, state, reached_on from former_outcomes
  where tenant_id = ${tenantId} and reached_on >= ${since}
) as outcomes`;

/** Slices of hours are read from the hours that are counted already. */
export async function countOutcomes(
  sql: Queries,
  tenantId: TenantId,
  { starts, sliceMs }: Slices,
): Promise<OutcomeCount[]> {
  const since = starts[0]!;
  const slice = sql`${sliceMs} * interval '1 millisecond'`;
  const single = sql`(
    select connection_id, state, changed_on as reached_on, 1 as count
    from ${outcomes(sql, sql`${tenantId}`, sql`${since}`)}) as single`;
  return sql<OutcomeCount[]>`
    select date_bin(${slice}, reached_on, ${since}) as "from", connection_id as "connectionId", state,
      sum(count)::bigint as count
    from ${sliceMs % HOUR_MS === 0 ? countedOutcomes(sql, tenantId, since) : single}
    group by 1, 2, 3
    union all
    select date_bin(${slice}, a.started_on, ${since}), a.failed_to, 'Failed', count(*)
    from webhook_connections c join attempts a on a.failed_to = c.id and a.started_on >= ${since}
    where c.tenant_id = ${tenantId}
    group by 1, 2`;
}
