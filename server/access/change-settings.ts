import type { Sql, Transaction } from "../db/connection.ts";
import { Conflict } from "../errors.ts";
import type { Access } from "./access.ts";
import type { Caller } from "./bearer.ts";
import type { Permissions } from "./policies/permissions.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";
import { waitForSettingsTurn } from "./policies/store.ts";

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
  const record = await sql.begin(async (tx) => {
    await waitForSettingsTurn(tx, caller.tenantId);
    // Who had its turn before may have taken the caller's access away.
    const changed = await change(tx, await access.permissionsIn(tx, caller));
    const afterwards = await access.permissionsIn(tx, caller);
    if (!afterwards.allows("Settings:Update", type, changed)) {
      throw new Conflict(
        `With this change no policy would let you change this ${type} any more. Nothing was changed; first give ` +
          "somebody else Settings:Update and let them do it.",
      );
    }
    return changed;
  });
  access.forget(caller.tenantId);
  return record as Changed;
}
