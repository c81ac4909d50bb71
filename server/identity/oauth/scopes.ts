// The scopes that can be requested, and those that a token still has when used.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { userScopes } from "../../records/index.ts";
import { type Client, findActiveScopes } from "./clients/store.ts";

/** The client's scopes, for a user limited to those of the user. */
export async function askableScopes(sql: Queries, client: Client, userId?: number): Promise<string[]> {
  return userId === undefined ? client.scopes : common(client.scopes, await userScopes(sql, client.tenantId, userId));
}

/** Scopes that every token still has; undefined if the client or the user is deleted or inactive. */
export async function scopesNow(
  sql: Queries,
  tenantId: TenantId,
  clientId: number,
  userId: number | undefined,
): Promise<string[] | undefined> {
  const [active, own] = await Promise.all([
    findActiveScopes(sql, tenantId, clientId, userId),
    userId === undefined ? undefined : userScopes(sql, tenantId, userId),
  ]);
  return own ? active && common(active, own) : active;
}

/** The scopes in both lists, in the order of the first. */
export function common(scopes: string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return scopes.filter((scope) => known.has(scope));
}
