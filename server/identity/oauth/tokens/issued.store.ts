import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

export interface IssuedCount {
  tenantId: TenantId;
  /** The start of the hour. */
  hour: Date;
  grantType: string;
  count: number;
}

export type HourOfTokens = Omit<IssuedCount, "tenantId">;

/** Adds to the stored counts, of all tenants. Sorted by key, so two processes do not deadlock. */
export async function addIssued(sql: Queries, counts: readonly IssuedCount[]): Promise<void> {
  const all = <T>(value: (one: IssuedCount) => T) => counts.map(value);
  await sql`
    insert into issued_tokens (tenant_id, hour, grant_type, count)
    select added.* from unnest(${all(({ tenantId }) => tenantId)}::uuid[], ${all(({ hour }) => hour.toISOString())}::timestamptz[],
      ${all(({ grantType }) => grantType)}::text[], ${all(({ count }) => count)}::integer[])
      as added (tenant_id, hour, grant_type, count)
    join tenants on tenants.id = added.tenant_id
    order by 1, 2, 3
    on conflict (tenant_id, hour, grant_type) do update set count = issued_tokens.count + excluded.count`;
}

export async function listIssued(sql: Queries, tenantId: TenantId, since: Date): Promise<HourOfTokens[]> {
  return sql<HourOfTokens[]>`
    select hour, grant_type as "grantType", count from issued_tokens
    where tenant_id = ${tenantId} and hour >= ${since} order by hour, grant_type`;
}

const KEPT_MS = 7 * 24 * 3_600_000;

export async function removeOldIssued(sql: Sql): Promise<number> {
  const { count } = await sql`delete from issued_tokens where hour < ${new Date(Date.now() - KEPT_MS)}`;
  return count;
}
