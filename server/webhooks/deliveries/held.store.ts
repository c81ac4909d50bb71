import type { Queries } from "../../platform/db/sql.ts";
import { type ConnectionId, lowestIdOf, type TenantId } from "../../platform/ids.ts";

export async function countHeld(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  before: Date,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from deliveries
    where tenant_id = ${tenantId} and connection_id = ${connectionId} and state = 'Held'
      and event_id < ${lowestIdOf(before)}`;
  return row!.count;
}

/**
 * Cancels the oldest of them after a position. No lock on the connection is needed: nothing else is changed, and a row that
 * another transaction has locked is left out. Redeliveries count their own later.
 * @returns the number, and the last position
 */
export async function discardHeld(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  before: Date,
  after: number,
  limit: number,
): Promise<{ count: number; last: number }> {
  const [row] = await sql<{ count: number; last: number }[]>`
    with discarded as (
      update deliveries set state = 'Cancelled', changed_on = now()
      where state = 'Held' and id in (
        select id from deliveries
        where tenant_id = ${tenantId} and connection_id = ${connectionId} and state = 'Held'
          and event_id < ${lowestIdOf(before)} and position > ${after}
        order by position limit ${limit} for update skip locked
      )
      returning position
    )
    select count(*) as count, coalesce(max(position), 0) as last from discarded`;
  return row!;
}
