import type { Queries, Sql } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import { recordTable } from "../records/index.ts";
import type { PolicyText } from "./decisions/engine.ts";
import type { Stamped } from "./fields.ts";

/** Notified by triggers about every change of policies and of the records they depend on. */
const CHANNEL = "gatehouse_access";

/** AbstractLong (docs/behaviour.md "Foreign keys"); Name is missing for callers who may not read the record. */
export interface SavedBy {
  Id: number;
  Name?: string;
  Type: string;
}

export interface Policy extends Stamped {
  id: string;
  name: string;
  description: string;
  /** Cedar. */
  policy: string;
}

export const POLICY_TABLE = recordTable<Policy>("policies", {
  names: ["name", "description", "policy"],
  idType: "uuid",
  isStamped: true,
});

/** @param onListening also each time that a lost connection is there again @param onDeaf its connection is lost */
export async function listenForAccessChanges(
  sql: Sql,
  onChange: (what: string, tenantId: TenantId) => void,
  onListening: () => void,
  onDeaf: () => void,
): Promise<void> {
  const heard = (payload: string) => {
    const [what, tenantId] = payload.split(" ");
    if (what && tenantId) onChange(what, tenantId as TenantId);
  };
  await sql.listen(CHANNEL, heard, onListening, onDeaf);
}

/** Serializes changes of a tenant's policies and roles, so each sees the previous result. */
export async function waitForSettingsTurn(sql: Queries, tenantId: TenantId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`policies ${tenantId}`}, 0))`;
}

export async function listPolicyTexts(sql: Queries, tenantId: TenantId): Promise<PolicyText[]> {
  return sql<PolicyText[]>`
    select name, policy from policies where tenant_id = ${tenantId} order by id`;
}

export function listAllPolicies(sql: Queries, tenantId: TenantId): Promise<Policy[]> {
  return POLICY_TABLE.findWhere(sql, tenantId, sql`true`);
}

/** A text that a policy has or had. */
export interface Version {
  /** From 1, of the policy's own. */
  number: number;
  policy: string;
  savedOn: Date;
  /** AbstractLong (docs/behaviour.md "Foreign keys"), or null. */
  savedBy: SavedBy | null;
}

/** Newest first; PostgreSQL keeps 50. One more than the limit if there are more. */
export async function listVersions(
  sql: Queries,
  tenantId: TenantId,
  policyId: string,
  limit: number,
  after: string | undefined,
): Promise<Version[]> {
  return sql<Version[]>`
    select number, policy, saved_on as "savedOn", actor_reference(saved_by_type, saved_by_id) as "savedBy"
    from policy_versions
    where tenant_id = ${tenantId} and policy_id = ${policyId} ${after ? sql`and number < ${after}` : sql``}
    order by number desc limit ${limit + 1}`;
}
