import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";
import { ACTIONS, SCOPES } from "../scopes.ts";
import { listRoleScopes } from "./store.ts";

/** All of a user's scopes, which `*` asks for (docs/access.md "Scopes"): those of its roles, and the OpenID ones. */
export async function userScopes(sql: Queries, tenantId: TenantId, userId: number): Promise<string[]> {
  const own = await listRoleScopes(sql, tenantId, { type: "User", id: userId });
  return SCOPES.filter((scope) => own.includes(scope) || !ACTIONS.some((action) => action === scope));
}
