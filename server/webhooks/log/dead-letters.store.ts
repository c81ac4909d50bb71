import type { Queries } from "../../platform/db/sql.ts";
import { type ConnectionId, type EventId, lowestIdOf, type TenantId } from "../../platform/ids.ts";
import { type Connection, connectionColumns } from "../connections.store.ts";
import { isDrainPaused } from "../redelivery/store.ts";

/** Final or stopped states without success. */
export const DEAD_STATES = ["Exhausted", "Held"] as const;
export type DeadState = (typeof DEAD_STATES)[number];

export interface DeadLetterFilter {
  connectionId?: ConnectionId;
  state?: DeadState;
  /** Limits on event times. */
  from?: Date;
  to?: Date;
}

export interface DeadConnection extends Connection {
  drainPaused: boolean;
  groups: DeadGroup[];
}

export interface DeadGroup {
  state: DeadState;
  /** The last attempt's result: a status, a failure's name, or lost. Null for Held deliveries. */
  reason: string | null;
  count: number;
  oldest: EventId;
  newest: EventId;
}

/** Newest connection first; one more than the limit if there are more. The partial index has no delivered ones. */
export async function countDeadLetters(
  sql: Queries,
  tenantId: TenantId,
  { connectionId, state, from, to }: DeadLetterFilter,
  limit: number,
  after: string | undefined,
): Promise<DeadConnection[]> {
  return sql<DeadConnection[]>`
    with dead as (
      select connection_id, state, case state when 'Exhausted' then reason end as reason, count(*) as count,
        min(event_id::text) as oldest, max(event_id::text) as newest
      from deliveries
      where tenant_id = ${tenantId} and state in ('Exhausted', 'Held') and not is_ping
        ${state ? sql`and state = ${state}` : sql``}
        ${connectionId ? sql`and connection_id = ${connectionId}` : sql``}
        ${after ? sql`and connection_id < ${after}` : sql``}
        ${from ? sql`and event_id >= ${lowestIdOf(from)}` : sql``}
        ${to ? sql`and event_id < ${lowestIdOf(to)}` : sql``}
      group by 1, 2, 3
    )
    select ${connectionColumns(sql)}, ${isDrainPaused(sql, tenantId, sql`webhook_connections.id`)} as "drainPaused",
      (select json_agg(json_build_object('state', dead.state, 'reason', reason, 'count', count, 'oldest', oldest,
        'newest', newest) order by count desc, dead.state, reason)
        from dead where connection_id = webhook_connections.id) as groups
    from webhook_connections
    where tenant_id = ${tenantId} and id in (select connection_id from dead)
    order by id desc limit ${limit + 1}`;
}
