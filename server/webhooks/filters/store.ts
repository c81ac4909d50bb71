import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { LoggedEventType } from "../../records/index.ts";
import type { Connection } from "../connections.store.ts";
import type { LoggedEvent, WithPayload } from "../log/store.ts";

export interface SubscribedEvent
  extends Pick<LoggedEvent, "id" | "eventRecord" | "recordIds" | "occurredOn">,
    WithPayload {
  eventType: LoggedEventType;
  /** The former values of changed fields, as JSON. */
  previous: string | null;
}

/** The tenant's newest events that are read to find those of a subscription. */
const MAX_SEARCHED = 5_000;

/** Records and bytes that a trial reads at most, beside the newest event. */
export const MAX_TRIED_RECORDS = 2_000;
export const MAX_TRIED_BYTES = 8 * 1024 * 1024;

/** Newest first, with kept payloads. */
export async function listSubscribed(
  sql: Queries,
  tenantId: TenantId,
  { entities, events }: Pick<Connection, "entities" | "events">,
  limit: number,
): Promise<SubscribedEvent[]> {
  return sql<SubscribedEvent[]>`
    with subscribed as materialized (
      select e.*, octet_length(p.payload) + coalesce(octet_length(p.previous), 0) as bytes
      from (
        select * from (select * from events where tenant_id = ${tenantId} order by id desc limit ${MAX_SEARCHED}) newest
        where event_record = any (${entities}::text[]) and event_type = any (${events}::text[])
        order by id desc limit ${limit}
      ) e join payloads p on p.event_id = e.id
    ), counted as (
      select *, sum(bytes) over newer as bytes_so_far,
        sum(1 + length(record_id) - length(replace(record_id, ',', ''))) over newer as records_so_far,
        row_number() over newer as place
      from subscribed window newer as (order by id desc)
    )
    select e.id, e.event_record as "eventRecord", e.event_type as "eventType",
      string_to_array(e.record_id, ',') as "recordIds", e.occurred_on as "occurredOn", p.payload, p.previous
    from counted e join payloads p on p.event_id = e.id
    where place = 1 or (bytes_so_far <= ${MAX_TRIED_BYTES} and records_so_far <= ${MAX_TRIED_RECORDS})
    order by e.id desc`;
}
