import type { Queries, Transaction } from "../../db/sql.ts";
import { type ConnectionId, lowestIdOf, type TenantId } from "../../ids.ts";

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

/** Cancels the oldest of them. @param tx has locked the connection @returns the number */
export async function discardHeld(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    update deliveries set state = 'Cancelled', changed_on = now(), redelivery_id = null
    where state = 'Held' and id in (
      select id from deliveries
      where tenant_id = ${tenantId} and connection_id = ${connectionId} and state = 'Held'
        and event_id < ${lowestIdOf(before)}
      order by position limit ${limit}
    )`;
  return rows.count;
}
