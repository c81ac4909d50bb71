import type { Sql, Transaction } from "../db/connection.ts";
import { Conflict } from "../errors.ts";
import type { Access } from "./access.ts";
import type { Caller } from "./bearer.ts";
import type { Permissions } from "./policies/permissions.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";
import { waitForSettingsTurn } from "./policies/store.ts";
import { userScopes } from "./roles/user-scopes.ts";

/** What it takes to undo a change. */
const NEEDED = ["Settings:Update", "Settings:Read"] as const;

/**
 * Changes a tenant's policies or roles in one transaction, unless its caller could not do so again afterwards.
 * @param change is told what the caller may do by now, and returns the record that it has written or deleted
 * @throws Conflict where the caller would lock itself out, and what `change` throws
 */
export async function changeSettings<Changed extends PolicyRecord>(
  sql: Sql,
  access: Access,
  caller: Caller,
  type: "Policy" | "Role",
  change: (tx: Transaction, permissions: Permissions) => Promise<Changed>,
): Promise<Changed> {
  const record = await sql.beginFor(caller.tenantId, async (tx) => {
    await waitForSettingsTurn(tx, caller.tenantId);
    // Who had its turn before may have taken the caller's access away.
    const before = await access.permissionsIn(tx, caller);
    const changed = await change(tx, before);
    const scopes = await scopesIn(tx, caller);
    const after = await access.permissionsIn(tx, { ...caller, scopes });
    if (!after.allows("Settings:Update", type, changed)) {
      throw lockedOut(`no policy would let you change this ${type}`, "Settings:Update");
    }
    // What cannot be seen is not found again.
    if (before.allows("Settings:Read", type, changed) && !after.allows("Settings:Read", type, changed)) {
      throw lockedOut(`no policy would let you read this ${type}`, "Settings:Read");
    }
    const lost = NEEDED.find((scope) => caller.scopes.has(scope) && !scopes.has(scope));
    if (lost) throw lockedOut(`none of your roles would have ${lost}`, lost);
    return changed;
  });
  access.forget(caller.tenantId);
  return record as Changed;
}

/** A client's own scopes are its credentials'; a user's come of roles (docs/access.md "Scopes"), which may change. */
async function scopesIn(tx: Transaction, { tenantId, actor, scopes }: Caller): Promise<ReadonlySet<string>> {
  return actor.type === "User" ? new Set(await userScopes(tx, tenantId, actor.id)) : scopes;
}

function lockedOut(loss: string, action: string): Conflict {
  return new Conflict(
    `With this change ${loss} any more. Nothing was changed; first give somebody else ${action} and let them do it.`,
  );
}
