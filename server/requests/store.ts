import type { Queries, Sql } from "../db/sql.ts";
import { lowestIdOf, type TenantId } from "../ids.ts";

export interface NewRequest {
  tenantId: TenantId;
  id: string;
  requestKey: string;
  traceParent: string | undefined;
  method: string;
  route: string;
  status: number;
  durationMs: number;
  clientId: string;
  /** The tenant's requests before this one that were not stored. */
  omitted: number;
}

export type LoggedRequest = Omit<NewRequest, "tenantId" | "traceParent" | "clientId"> & { clientId: number };

export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;

export interface RequestFilter {
  status?: (typeof STATUS_CLASSES)[number];
  method?: string;
  /** A part of the path, in any case. */
  route?: string;
  clientId?: string;
  requestKey?: string;
  traceParent?: string;
  from?: Date;
  to?: Date;
}

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

const columns = (sql: Queries) => sql`
  id, request_key as "requestKey", method, route, status, duration_ms as "durationMs", client_id as "clientId", omitted`;

/** Newest first; one more than the limit if there are more. */
export async function listRequests(
  sql: Queries,
  tenantId: TenantId,
  { status, method, route, clientId, requestKey, traceParent, from, to }: RequestFilter,
  limit: number,
  after: string | undefined,
): Promise<LoggedRequest[]> {
  return sql<LoggedRequest[]>`
    select ${columns(sql)} from requests
    where tenant_id = ${tenantId} ${status ? inClass(sql, status) : sql``}
      ${method ? sql`and method = ${method}` : sql``}
      ${route ? sql`and strpos(lower(route), lower(${route})) > 0` : sql``}
      ${clientId ? sql`and client_id = ${clientId}` : sql``}
      ${requestKey ? sql`and request_key = ${requestKey}` : sql``}
      ${traceParent ? sql`and trace_parent = ${traceParent}` : sql``}
      ${from ? sql`and id >= ${lowestIdOf(from)}` : sql``} ${to ? sql`and id < ${lowestIdOf(to)}` : sql``}
      ${after ? sql`and id < ${after}` : sql``}
    order by id desc limit ${limit + 1}`;
}

export async function findRequest(sql: Queries, tenantId: TenantId, id: string): Promise<LoggedRequest | undefined> {
  const [request] = await sql<LoggedRequest[]>`
    select ${columns(sql)} from requests where tenant_id = ${tenantId} and id = ${id}`;
  return request;
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
