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

/** Newest first, with kept payloads. */
export async function listSubscribed(
  sql: Queries,
  tenantId: TenantId,
  { entities, events }: Pick<Connection, "entities" | "events">,
  limit: number,
): Promise<SubscribedEvent[]> {
  return sql<SubscribedEvent[]>`
    select e.id, e.event_record as "eventRecord", e.event_type as "eventType",
      string_to_array(e.record_id, ',') as "recordIds", e.occurred_on as "occurredOn", p.payload, p.previous
    from (
      select * from (select * from events where tenant_id = ${tenantId} order by id desc limit ${MAX_SEARCHED}) newest
      where event_record = any (${entities}::text[]) and event_type = any (${events}::text[])
      order by id desc limit ${limit}
    ) e join payloads p on p.event_id = e.id
    order by e.id desc`;
}
