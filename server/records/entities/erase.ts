// The first step of an erasure: the User's record and what depends on it.

import type { Transaction } from "../../platform/db/sql.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import type { Caller } from "../access/bearer.ts";
import { ERASED } from "../events/event.ts";
import type { Entity } from "../registry.ts";
import { forgetAnswers } from "../requests/keys.store.ts";
import { rowsOf } from "../rows.store.ts";
import { removeRecord } from "../write.ts";
import { announce, changeOf, type Records } from "./record.ts";
import { entityKind } from "./served-entity.ts";

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
    const record = kind.recordOf(row);
    const { Id, External_Id } = record;
    let result: T | undefined;
    const erased: typeof kind = {
      ...kind,
      declaration: { ...entity, scopes: { ...entity.scopes, remove: "AccessManager:Erase" } },
      async remove() {
        result = await then(tx, record);
        await forgetAnswers(tx, tenantId, id);
        await kind.remove!(tx, caller, row);
      },
      // The erasure has its own entry.
      async audit() {},
      async announce() {
        for (const [index, eventType] of (["Deleted", ERASED] as const).entries()) {
          const change = changeOf(entity, "Deleted", [{ ...row, sequence: row.sequence + 1 + index }]);
          await announce(
            tx,
            caller,
            entity,
            { ...change, eventType, data: { Id, External_Id }, isUnfiltered: true },
            records,
          );
        }
      },
    };
    await removeRecord(tx, caller, erased, row, UNCONDITIONAL);
    return result as T;
  });
}
