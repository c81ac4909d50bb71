import type { Queries, Sql } from "../../platform/db/sql.ts";
import { takeTurn } from "../../platform/db/turns.store.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { PolicyText } from "./decisions/policy-engine.ts";

/** Notified by triggers about every change of policies and of the records they depend on. */
const CHANNEL = "gatehouse_access";

/** @param onListening also called after each reconnection @param onDeaf called when the connection is lost */
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
export async function lockSettings(sql: Queries, tenantId: TenantId): Promise<void> {
  await takeTurn(sql, tenantId, "policies");
}

export async function listPolicyTexts(sql: Queries, tenantId: TenantId): Promise<PolicyText[]> {
  return sql<PolicyText[]>`
    select name, policy from policies where tenant_id = ${tenantId} order by id`;
}
