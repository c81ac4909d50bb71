import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries } from "../../platform/db/sql.ts";
import type { ConnectionId, EventId, TenantId } from "../../platform/ids.ts";
import { type LoggedEventType, PING } from "../../records/index.ts";
import { newestClosed, newestOpen } from "../states.store.ts";

/** The event data that policies need for a delivery. */
export interface EventOfDelivery {
  eventId: EventId;
  eventRecord: string;
  eventType: LoggedEventType;
  recordIds: string[];
  occurredOn: Date;
  /** null: it was removed. */
  payload?: string | null;
}

/** For event `e` and its payload `p`. */
export const eventColumns = (sql: Queries, withPayload: boolean) => sql`
  e.id as "eventId", e.event_record as "eventRecord", e.event_type as "eventType",
  string_to_array(e.record_id, ',') as "recordIds", e.occurred_on as "occurredOn" ${withPayload ? sql`, p.payload` : sql``}`;

export interface RecentDelivery extends EventOfDelivery {
  /** Of a test: the kind of change that it simulated, such as "Application Created". null: it is no test. */
  tested: string | null;
  state: DeliveryState;
  attempts: number;
  statusCode: number | null;
  failure: string | null;
  durationMs: number | null;
}

/** `t` is the payload of a ping. */
const deliveryColumns = (sql: Queries, withPayload: boolean) => sql`
  ${eventColumns(sql, withPayload)}, d.state, d.attempts,
  case when t.payload::json ->> 'Test' = 'true'
    then concat(t.payload::json ->> 'EventRecord', ' ', t.payload::json ->> 'EventType') end as tested,
  a.status_code as "statusCode", a.failure, a.duration_ms as "durationMs"`;

/** Newest event first. */
export async function listRecentDeliveries(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  limit: number,
  withPayload: boolean,
): Promise<RecentDelivery[]> {
  const where = sql`d.tenant_id = ${tenantId} and d.connection_id = ${connectionId}`;
  // A literal: with a parameter, the planner would read and sort all rows.
  const max = sql.unsafe(`${limit}`);
  return sql<RecentDelivery[]>`
    select ${deliveryColumns(sql, withPayload)}
    from (
      (${newestOpen(sql, where)} limit ${max}) union all (${newestClosed(sql, where)} limit ${max})
      order by event_id desc limit ${limit}
    ) d
    join events e on e.id = d.event_id ${withPayload ? sql`left join payloads p on p.event_id = d.event_id` : sql``}
    left join payloads t on t.event_id = d.event_id and e.event_type = ${PING}
    left join attempts a on a.event_id = d.event_id and a.delivery_id = d.id and a.number = d.attempts
    order by d.event_id desc`;
}

/** Pings and tests, found by the connection as their event's record, regardless of other deliveries. */
export async function listTests(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
  limit: number,
): Promise<RecentDelivery[]> {
  return sql<RecentDelivery[]>`
    select ${deliveryColumns(sql, true)}
    from events e join deliveries d on d.event_id = e.id and d.tenant_id = e.tenant_id
    join payloads p on p.event_id = e.id
    join payloads t on t.event_id = e.id
    left join attempts a on a.event_id = d.event_id and a.delivery_id = d.id and a.number = d.attempts
    where e.tenant_id = ${tenantId} and e.record_id = ${connectionId} and strpos(e.record_id, ',') = 0
      and e.event_type = ${PING}
    order by e.id desc limit ${limit}`;
}
