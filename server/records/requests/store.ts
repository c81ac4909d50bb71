import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import { laterOf } from "../../platform/http/query.ts";
import { lowestIdOf, type TenantId } from "../../platform/ids.ts";
import { logTable } from "../table.store.ts";
import { REQUEST, type RequestFilter, type STATUS_CLASSES } from "./contract.ts";

export interface NewRequest extends LogRow<typeof REQUEST.field> {
  tenantId: TenantId;
  traceParent: string | undefined;
}

export const REQUESTS = logTable(REQUEST, {
  matching(sql, wanted: RequestFilter) {
    const { Status, Method, Route, ClientId, RequestKey, TraceParent, To } = wanted;
    const from = laterOf(wanted.From, wanted.Last);
    return sql`
    ${Status ? inClass(sql, Status) : sql``}
    ${Method ? sql`and method = ${Method}` : sql``}
    ${Route ? sql`and strpos(lower(route), lower(${Route})) > 0` : sql``}
    ${ClientId ? sql`and client_id = ${ClientId}` : sql``}
    ${RequestKey ? sql`and request_key = ${RequestKey}` : sql``}
    ${TraceParent ? sql`and trace_parent = ${TraceParent}` : sql``}
    ${from ? sql`and id >= ${lowestIdOf(from)}` : sql``} ${To ? sql`and id < ${lowestIdOf(To)}` : sql``}`;
  },
});

export async function insertRequests(sql: Queries, rows: readonly NewRequest[]): Promise<void> {
  const all = <T>(value: (row: NewRequest) => T) => rows.map(value);
  await sql`
    insert into requests (tenant_id, id, request_key, trace_parent, method, route, status, duration_ms, client_id, omitted)
    select * from unnest(${all(({ tenantId }) => tenantId)}::uuid[], ${all(({ id }) => id)}::uuid[],
      ${all(({ requestKey }) => requestKey)}::text[], ${all(({ traceParent }) => traceParent ?? null)}::text[],
      ${all(({ method }) => method)}::text[], ${all(({ route }) => route)}::text[],
      ${all(({ status }) => status)}::smallint[], ${all(({ durationMs }) => durationMs)}::real[],
      ${all(({ clientId }) => clientId)}::bigint[], ${all(({ omitted }) => omitted)}::integer[])`;
}

/** A literal, so PostgreSQL can use the partial index of failures. */
function inClass(sql: Queries, status: (typeof STATUS_CLASSES)[number]) {
  const first = Number(status[0]) * 100;
  return sql.unsafe(`and status >= ${first} and status < ${first + 100}`);
}

const KEPT_MS = 24 * 3_600_000;
/** The maximum per tenant, separately for successful and failed requests. */
export const MAX_KEPT = 100_000;

export async function removeOldRequests(sql: Sql): Promise<number> {
  const oldest = lowestIdOf(new Date(Date.now() - KEPT_MS));
  let removed = 0;
  for (const kind of ["status < 400", "status >= 400"]) {
    const { count } = await sql`
      with bound as materialized (
        select tenants.id as tenant_id, greatest(${oldest}::uuid, (
          select id from requests where tenant_id = tenants.id and ${sql.unsafe(kind)}
          order by id desc offset ${MAX_KEPT} limit 1)) as last
        from tenants
      )
      delete from requests using bound
      where requests.tenant_id = bound.tenant_id and requests.id <= bound.last and ${sql.unsafe(kind)}`;
    removed += count;
  }
  return removed;
}
