// The first step of an erasure: the User's record and what depends on it.

import type { Caller } from "../access/index.ts";
import type { Transaction } from "../db/sql.ts";
import { type Entity, rowsOf } from "../records/index.ts";
import { ERASED } from "../webhooks/index.ts";
import { entityKind } from "./kind.ts";
import { announce, changeOf, type Records } from "./record.ts";

/**
 * Also deletes dependent data; the events have only the identifiers. @param then called in the transaction
 * @throws Permission, Conflict if it is the caller
 */
export async function eraseUser<T>(
  records: Records,
  caller: Caller,
  entity: Entity,
  id: number,
  then: (tx: Transaction, record: Record<string, unknown> | undefined) => Promise<T>,
): Promise<T> {
  const { tenantId } = caller;
  return records.sql.beginFor(tenantId, async (tx) => {
    const row = await rowsOf(entity).find(tx, tenantId, { id }, "for update");
    if (!row) return then(tx, undefined);
    const kind = entityKind(records, entity);
    caller.permissions.require("AccessManager:Erase", entity.name, kind.recordOf(row));
    const result = await then(tx, kind.recordOf(row));
    await kind.checkRemoval?.(tx, caller, row);
    await kind.remove!(tx, caller, row);
    for (const [index, eventType] of (["Deleted", ERASED] as const).entries()) {
      const { Id, External_Id } = kind.recordOf(row) as { Id: number; External_Id: string };
      const change = { ...changeOf(entity, "Deleted", [{ ...row, sequence: row.sequence + 1 + index }]), eventType };
      await announce(tx, caller, entity, { ...change, data: { Id, External_Id } }, records);
    }
    return result;
  });
}
