import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { listRoleScopes } from "./roles.store.ts";
import { isOwnScope, SCOPE_ACTIONS, SCOPES } from "./scopes.ts";

/**
 * A user's scopes, as `*` requests them (docs/access.md "Scopes"): those of its roles, including scopes of APIs, and
 * the OpenID ones.
 */
export async function userScopes(sql: Queries, tenantId: TenantId, userId: number): Promise<string[]> {
  const own = await listRoleScopes(sql, tenantId, userId);
  const ofOurs = SCOPES.filter((scope) => own.includes(scope) || !SCOPE_ACTIONS.some((action) => action === scope));
  return [...ofOurs, ...own.filter((scope) => !isOwnScope(scope))];
}
