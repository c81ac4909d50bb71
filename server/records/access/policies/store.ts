import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { recordTable } from "../../table.store.ts";
import { POLICY, type Policy, type StoredVersion } from "./contract.ts";

export const POLICY_TABLE = recordTable<Policy>(POLICY);

export function listAllPolicies(sql: Queries, tenantId: TenantId): Promise<Policy[]> {
  return POLICY_TABLE.findWhere(sql, tenantId, sql`true`);
}

/** Newest first; PostgreSQL keeps 50. One more than the limit if there are more. */
export async function listVersions(
  sql: Queries,
  tenantId: TenantId,
  policyId: string,
  limit: number,
  after: string | undefined,
): Promise<StoredVersion[]> {
  return sql<StoredVersion[]>`
    select number, policy, saved_on as "savedOn", actor_reference(saved_by_type, saved_by_id) as "savedBy"
    from policy_versions
    where tenant_id = ${tenantId} and policy_id = ${policyId} ${after ? sql`and number < ${after}` : sql``}
    order by number desc limit ${limit + 1}`;
}
