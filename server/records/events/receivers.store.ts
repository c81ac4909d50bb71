import { type Transaction, uuids } from "../../platform/db/sql.ts";
import type { ConnectionId, EventId, TenantId } from "../../platform/ids.ts";
import type { ConnectionFilter } from "./judge.ts";

export interface LockedFilter extends ConnectionFilter {
  /** Whether its Order is Record. */
  isOrdered: boolean;
  events: string[];
}

/** Of the connections that are subscribed to the record. They cannot be changed until the deliveries are inserted. */
export async function lockFilters(tx: Transaction, tenantId: TenantId, eventRecord: string): Promise<LockedFilter[]> {
  return tx<LockedFilter[]>`
    select id, filter, filter_reads as reads, order_by = 'Record' as "isOrdered", events from webhook_connections
    where tenant_id = ${tenantId} and deleted_on is null and filter is not null and ${eventRecord} = any (entities)
    order by id for share`;
}

/** The first failure of each, which raises an alert. */
export async function noteFailedFilters(
  tx: Transaction,
  tenantId: TenantId,
  ids: ConnectionId[],
  eventId: EventId,
): Promise<void> {
  await tx`
    insert into failed_filters (connection_id, tenant_id, event_id)
    select id, ${tenantId}, ${eventId} from unnest(${uuids(tx, ids.toSorted())}) as id
    on conflict do nothing`;
}

/**
 * Stores the numbers that a connection gets. A change locks its records, so their numbers are stored in commit order.
 * @param isLast the records are deleted
 * @returns the numbers that it got before, 0: none
 */
export async function passSequences(
  tx: Transaction,
  connectionId: ConnectionId,
  eventRecord: string,
  passed: readonly { id: string; sequence: number }[],
  isLast: boolean,
): Promise<number[]> {
  if (passed.length === 0) return [];
  const keys = tx`
    select record_key(${eventRecord}, p.id) as record, p.sequence, p.place
    from unnest(${passed.map(({ id }) => id)}::text[], ${passed.map(({ sequence }) => sequence)}::bigint[])
      with ordinality as p (id, sequence, place)`;
  const kept = isLast
    ? tx`delete from sent_sequences s using passed p where s.connection_id = ${connectionId} and s.record = p.record`
    : tx`
      insert into sent_sequences (connection_id, record, sequence)
      select ${connectionId}, record, sequence from passed
      on conflict (connection_id, record) do update set sequence = excluded.sequence`;
  const rows = await tx<{ sequence: number }[]>`
    with passed as materialized (${keys}), kept as (${kept})
    select coalesce(s.sequence, 0) as sequence
    from passed p left join sent_sequences s on s.connection_id = ${connectionId} and s.record = p.record
    order by p.place`;
  return rows.map(({ sequence }) => sequence);
}
