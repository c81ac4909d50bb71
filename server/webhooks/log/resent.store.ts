import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/sql.ts";
import type { ConnectionId, DeliveryId, RedeliveryId, TenantId } from "../../ids.ts";
import { type EventOfDelivery, eventColumns } from "./recent.store.ts";

export interface ResentOutcome {
  state: DeliveryState;
  /** A status, the failure's name, or lost; null: delivered or not attempted. */
  reason: string | null;
  on: Date;
}

export interface Resent extends EventOfDelivery {
  /** In the order of sending. */
  id: string;
  deliveryId: DeliveryId;
  connectionId: ConnectionId;
  before: ResentOutcome;
  after: ResentOutcome;
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
  type Row = Omit<Resent, "before" | "after"> &
    Record<"before" | "after", Omit<ResentOutcome, "on">> &
    Record<"was" | "is", Date>;
  // The page is chosen first, because the joins of a whole redelivery may take seconds.
  const rows = await sql<Row[]>`
    with page as materialized (
      select f.id, f.event_id, f.delivery_id, f.state, f.reason, f.reached_on from former_outcomes f
      where f.tenant_id = ${tenantId} and f.redelivery_id = ${redeliveryId}
        ${after ? sql`and f.id > ${after}::bigint` : sql``}
        ${withPayload ? sql`and exists (select from payloads p where p.event_id = f.event_id)` : sql``}
      order by f.id limit ${limit + 1}
    )
    select f.id::text as id, d.id as "deliveryId", d.connection_id as "connectionId", ${eventColumns(sql, withPayload)},
      json_build_object('state', f.state, 'reason', f.reason) as before, f.reached_on as was,
      json_build_object('state', next.state, 'reason', next.reason) as after, next.reached_on as is
    from page f join deliveries d on d.event_id = f.event_id and d.id = f.delivery_id
    join events e on e.id = f.event_id ${withPayload ? sql`join payloads p on p.event_id = e.id` : sql``}
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
  return rows.map(({ was, is, ...row }) => ({
    ...row,
    before: { ...row.before, on: was },
    after: { ...row.after, on: is },
  }));
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
