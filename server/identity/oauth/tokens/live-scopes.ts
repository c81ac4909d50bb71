// The scopes that tokens still have when used.

import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { askableScopes } from "../scopes.ts";
import { findLive, type Live } from "./live.store.ts";

export interface LiveScopes extends Pick<Live, "ofRoles" | "forExchange"> {
  /** The scopes that every token of the client and the user still has. */
  scopes: readonly string[];
}

/** @param exchanged to read what an exchange needs, too @returns undefined if the client or the user is deleted or inactive */
export async function liveScopes(
  sql: Queries,
  tenantId: TenantId,
  clientId: number,
  userId: number | undefined,
  exchanged?: { familyId: string | undefined },
): Promise<LiveScopes | undefined> {
  const live = await findLive(sql, tenantId, clientId, userId, exchanged);
  return live && { ...live, scopes: live.ofRoles ? askableScopes(live, live.ofRoles) : live.scopes };
}

/** Scopes that every token still has; undefined if the client or the user is deleted or inactive. */
export async function scopesNow(
  ...who: [sql: Queries, tenantId: TenantId, clientId: number, userId: number | undefined]
): Promise<readonly string[] | undefined> {
  return (await liveScopes(...who))?.scopes;
}
