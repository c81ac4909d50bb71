// Which scopes can be asked for, and which of them a token still gives when it is used.

import { userScopes } from "../access/index.ts";
import type { Queries } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import { type Client, findActiveScopes } from "./clients/store.ts";

/** What a client may ask for: its own scopes, and when it acts for a user those of them that the user has as well. */
export async function askableScopes(sql: Queries, client: Client, userId?: number): Promise<string[]> {
  return userId === undefined ? client.scopes : common(client.scopes, await userScopes(sql, client.tenantId, userId));
}

/**
 * What any token of a client, and of the user that it acts for, gives now.
 * @returns undefined if one of them is gone or not active
 */
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

/** Those of `scopes` that stand in `others` too. */
export function common(scopes: string[], others: readonly string[]): string[] {
  return scopes.filter((scope) => others.includes(scope));
}
