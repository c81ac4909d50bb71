// Ways to sign in: a user keeps at least one.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { hasPasswordToSignInWith } from "./store.ts";
import { isUsable } from "./upstream/configuration.ts";
import type { LinkedIdentity } from "./upstream/store.ts";

export interface KeptWays {
  hasPasskey: boolean;
  identities: LinkedIdentity[];
}

/** Call with the user locked: otherwise two concurrent removals could each count the other's way as kept. */
export async function keepsWayIn(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  { hasPasskey, identities }: KeptWays,
): Promise<boolean> {
  return hasPasskey || identities.some(isUsable) || (await hasPasswordToSignInWith(sql, tenantId, userId));
}
