import type { Queries } from "../../platform/db/sql.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { isQueued, isUnderWay } from "../deliveries/start-attempt.store.ts";
import type { WindowSeen } from "../deliveries/windows.ts";
import { isOpen } from "../states.store.ts";
import { unsentOf } from "./connection-health.store.ts";

export interface WaitingDeliveries {
  /** In a workflow: being sent, waiting for a retry, or about to start. */
  underWay: number;
  queued: number;
  held: number;
  /** The time of the oldest event among them. */
  oldestOn: Date | null;
  /** Exhausted deliveries that Resume does not send. */
  unsent: number;
  unsentSince: Date | null;
  /** Set for a Held connection. */
  nextProbeOn: Date | null;
  probes: number;
}

/** Each count uses its own index. */
export async function countWaiting(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<WaitingDeliveries | undefined> {
  const [row] = await sql<WaitingDeliveries[]>`
    select c.next_probe_on as "nextProbeOn", c.probes,
      (select count(*) from deliveries d where d.connection_id = c.id and ${isUnderWay(sql)}) as "underWay",
      (select count(*) from deliveries d where d.connection_id = c.id and ${isQueued(sql)}) as queued,
      (select count(*) from deliveries d where d.connection_id = c.id and d.state = 'Held') as held,
      (
        select uuid_extract_timestamp(d.event_id) from deliveries d
        where d.tenant_id = c.tenant_id and d.connection_id = c.id and ${isOpen(sql)}
          and d.event_id is not null and not d.is_ping
        order by d.event_id limit 1
      ) as "oldestOn", u.count as unsent, u.since as "unsentSince"
    from webhook_connections c cross join lateral (${unsentOf(sql, tenantId, sql`c.id`)}) u
    where c.tenant_id = ${tenantId} and c.id = ${connectionId} and c.deleted_on is null`;
  return row;
}

/** Older reports of workers are outdated. */
const SEEN_SECONDS = 20;

/** One from each worker that has a window for the connection. */
export async function listWindows(sql: Queries, tenantId: TenantId, connectionId: ConnectionId): Promise<WindowSeen[]> {
  const rows = await sql<{ window: WindowSeen }[]>`
    select w.windows -> c.id::text as window from webhook_connections c cross join worker_windows w
    where c.tenant_id = ${tenantId} and c.id = ${connectionId} and w.windows -> c.id::text is not null
      and w.seen_on > now() - make_interval(secs => ${SEEN_SECONDS})
    order by w.worker_id`;
  return rows.map(({ window }) => window);
}

/** Stores a worker's windows, and deletes the windows of workers that have stopped. */
export async function noteWindows(
  sql: Queries,
  workerId: string,
  windows: Record<ConnectionId, WindowSeen>,
): Promise<void> {
  await sql`
    with gone as (
      delete from worker_windows
      where seen_on < now() - make_interval(secs => ${SEEN_SECONDS}) and worker_id <> ${workerId}
    )
    insert into worker_windows (worker_id, windows) values (${workerId}, ${JSON.stringify(windows)}::text::jsonb)
    on conflict (worker_id) do update set windows = excluded.windows, seen_on = now()`;
}

export async function forgetWindows(sql: Queries, workerId: string): Promise<void> {
  await sql`delete from worker_windows where worker_id = ${workerId}`;
}
