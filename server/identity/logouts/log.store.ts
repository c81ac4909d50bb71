import type { Queries } from "../../platform/db/sql.ts";
import type { LogoutId, TenantId } from "../../platform/ids.ts";
import type { LoggedLogout } from "./contract.ts";
import { LOGOUT_CHANNEL } from "./store.ts";

const columns = (sql: Queries) => sql`
  l.id, l.client_id as "clientId", l.user_id as "userId", l.sid, l.state, l.reason, l.run, l.created_on as "createdOn", l.ended_on as "endedOn",
  coalesce((
    select json_agg(json_build_object('number', number, 'startedOn', started_on, 'durationMs', duration_ms,
      'statusCode', status_code, 'failure', failure, 'response', case when duration_ms is not null then
        json_build_object('Headers', coalesce(response_headers, ''), 'Body', coalesce(response_body, '')) end)
      order by number)
    from logout_attempts where logout_id = l.id
  ), '[]') as attempts`;

export const placeOf = ({ createdOn, id }: LoggedLogout) => `${createdOn.toISOString()} ${id}`;

/** Newest first; one more than the limit if there are more. @param after a position from placeOf */
export async function listLogouts(
  sql: Queries,
  tenantId: TenantId,
  clientId: number,
  limit: number,
  after: string | undefined,
): Promise<LoggedLogout[]> {
  const [createdOn, id] = after?.split(" ") ?? [];
  return sql<LoggedLogout[]>`
    select ${columns(sql)} from logouts l
    where l.tenant_id = ${tenantId} and l.client_id = ${clientId}
      ${createdOn && id ? sql`and (l.created_on, l.id) < (${createdOn}::timestamptz, ${id}::uuid)` : sql``}
    order by l.created_on desc, l.id desc limit ${limit + 1}`;
}

export async function findLogout(
  sql: Queries,
  tenantId: TenantId,
  clientId: number,
  id: LogoutId,
): Promise<LoggedLogout | undefined> {
  const [logout] = await sql<LoggedLogout[]>`
    select ${columns(sql)} from logouts l
    where l.tenant_id = ${tenantId} and l.client_id = ${clientId} and l.id = ${id}`;
  return logout;
}

/** Starts another run. @returns false if one is in progress or the limit is reached */
export async function beginRun(sql: Queries, tenantId: TenantId, id: LogoutId, maxRuns: number): Promise<boolean> {
  const [row] = await sql`
    with run as (
      update logouts set state = 'Pending', run = run + 1, earlier_attempts = attempts, reason = null, retry_on = null,
        ended_on = null, lease_until = '-infinity'
      where tenant_id = ${tenantId} and id = ${id} and state not in ('Pending', 'Retrying') and run < ${maxRuns}
      returning id
    )
    select pg_notify(${LOGOUT_CHANNEL}, '') from run`;
  return row !== undefined;
}
