import type { Queries, Sql } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import type { Actor } from "./caller.ts";
import type { PolicyText } from "./decisions/engine.ts";
import type { Stamped } from "./fields.ts";

/** Triggers notify it of every change of policies and of those they judge. */
const CHANNEL = "gatehouse_access";

/** AbstractLong (docs/behaviour.md "Foreign keys"); Name is missing to who may not read them. */
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

const columns = (sql: Queries) => sql`id, name, description, policy, created_on as "createdOn",
  actor_reference(created_by_type, created_by_id) as "createdBy", modified_on as "modifiedOn",
  actor_reference(modified_by_type, modified_by_id) as "modifiedBy"`;

/**
 * @param onListening also each time that a lost connection is there again
 * @param onDeaf its connection is lost
 */
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

/** Changes of a tenant's policies and roles take turns, so that each can see what the one before has left. */
export async function waitForSettingsTurn(sql: Queries, tenantId: TenantId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`policies ${tenantId}`}, 0))`;
}

export async function listPolicyTexts(sql: Queries, tenantId: TenantId): Promise<PolicyText[]> {
  return sql<PolicyText[]>`
    select name, policy from policies where tenant_id = ${tenantId} order by id`;
}

export async function listAllPolicies(sql: Queries, tenantId: TenantId): Promise<Policy[]> {
  return sql<Policy[]>`select ${columns(sql)} from policies where tenant_id = ${tenantId} order by id`;
}

export async function findPolicy(
  sql: Queries,
  tenantId: TenantId,
  key: { id: string } | { name: string },
): Promise<Policy | undefined> {
  const match = "id" in key ? sql`id = ${key.id}` : sql`name = ${key.name}`;
  const [row] = await sql<Policy[]>`select ${columns(sql)} from policies where tenant_id = ${tenantId} and ${match}`;
  return row;
}

/** Those of the ids that there are. */
export async function findPolicies(sql: Queries, tenantId: TenantId, ids: readonly string[]): Promise<Policy[]> {
  return sql<Policy[]>`
    select ${columns(sql)} from policies where tenant_id = ${tenantId} and id = any (${[...ids]}::uuid[])`;
}

/** Newest first; one more than the limit, if there are more. */
export async function listPolicies(
  sql: Queries,
  tenantId: TenantId,
  { name }: { name?: string },
  limit: number,
  after: string | undefined,
): Promise<Policy[]> {
  return sql<Policy[]>`
    select ${columns(sql)} from policies
    where tenant_id = ${tenantId} ${after ? sql`and id < ${after}` : sql``}
      ${name === undefined ? sql`` : sql`and name = ${name}`}
    order by id desc limit ${limit + 1}`;
}

export async function insertPolicy(
  sql: Queries,
  tenantId: TenantId,
  policy: { name: string; description: string; policy: string },
  actor: Actor | undefined,
): Promise<Policy> {
  const { name, description } = policy;
  const [row] = await sql<Policy[]>`
    insert into policies (id, tenant_id, name, description, policy, created_by_type, created_by_id, modified_by_type,
      modified_by_id)
    values (${Bun.randomUUIDv7()}, ${tenantId}, ${name}, ${description}, ${policy.policy}, ${actor?.type ?? null},
      ${actor?.id ?? null}, ${actor?.type ?? null}, ${actor?.id ?? null})
    returning ${columns(sql)}`;
  return row!;
}

export async function updatePolicy(
  sql: Queries,
  tenantId: TenantId,
  policy: { id: string; name: string; description: string; policy: string },
  actor: Actor,
): Promise<Policy> {
  const [row] = await sql<Policy[]>`
    update policies set name = ${policy.name}, description = ${policy.description}, policy = ${policy.policy},
      modified_on = now(), modified_by_type = ${actor.type}, modified_by_id = ${actor.id}
    where tenant_id = ${tenantId} and id = ${policy.id} returning ${columns(sql)}`;
  return row!;
}

export async function deletePolicy(sql: Queries, tenantId: TenantId, id: string): Promise<void> {
  await sql`delete from policies where tenant_id = ${tenantId} and id = ${id}`;
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

/** The newest first, of which PostgreSQL keeps 50; one more than the limit, if there are more. */
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
