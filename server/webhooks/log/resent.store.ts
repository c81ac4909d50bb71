import type { Queries } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import type { EventId, RedeliveryId, TenantId } from "../../platform/ids.ts";
import type { RESENT } from "./contract.ts";
import { type EventOfDelivery, eventColumns } from "./recent.store.ts";

export interface Resent extends EventOfDelivery, LogRow<typeof RESENT.field> {
  /** In the order of sending. */
  id: string;
  eventId: EventId;
}

/** In the order of sending; one more than the limit if there are more. */
export async function listResent(
  sql: Queries,
  tenantId: TenantId,
  redeliveryId: RedeliveryId,
  limit: number,
  after: string | undefined,
  withPayload: boolean,
): Promise<Resent[]> {
  // The page is chosen first, because the joins of a whole redelivery may take seconds.
  return sql<Resent[]>`
    with page as materialized (
      select f.id, f.event_id, f.delivery_id, f.state, f.reason, f.reached_on from former_outcomes f
      where f.tenant_id = ${tenantId} and f.redelivery_id = ${redeliveryId}
        ${after ? sql`and f.id > ${after}::bigint` : sql``}
      order by f.id limit ${limit + 1}
    )
    select f.id::text as id, d.id as "deliveryId", d.connection_id as "connectionId", ${eventColumns(sql, withPayload)},
      json_build_object('State', f.state, 'Reason', f.reason, 'On', f.reached_on) as before,
      json_build_object('State', next.state, 'Reason', next.reason, 'On', next.reached_on) as after
    from page f join deliveries d on d.event_id = f.event_id and d.id = f.delivery_id
    join events e on e.id = f.event_id ${withPayload ? sql`left join payloads p on p.event_id = e.id` : sql``}
    cross join lateral (
      -- What it came to by this redelivery, whatever became of it later.
      select n.state, n.reason, n.reached_on from (
        (select state, reason, reached_on, id from former_outcomes
          where event_id = f.event_id and delivery_id = f.delivery_id and id > f.id order by id limit 1)
        union all
        select d.state, case when d.state not in ('Pending', 'Delivered') then d.reason end, d.changed_on, null
      ) n order by n.id nulls last limit 1
    ) next
    order by f.id`;
}

/** Counts at most `max`. */
export async function countResent(
  sql: Queries,
  tenantId: TenantId,
  redeliveryId: RedeliveryId,
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from (
      select from former_outcomes where tenant_id = ${tenantId} and redelivery_id = ${redeliveryId} limit ${max}
    ) counted`;
  return row!.count;
}
