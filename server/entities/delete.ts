// DELETE of one record, found as GET finds it.

import type { Caller } from "../access/index.ts";
import type { Conditions } from "../http/conditions.ts";
import { type Entity, isEqual, type Row, removeRecord, rowsOf } from "../records/index.ts";
import { entityKind } from "./kind.ts";
import { findAddressed, type RecordAddress } from "./read.ts";
import { changeOf } from "./record.ts";
import { inTransaction, type Records } from "./transaction.ts";

/**
 * Deletes the record and its dependent data (a client's credentials and secrets, a user's password).
 * @returns its last state
 * @throws BadInput, NotFound, MultipleRows, Permission, PreconditionFailed, Conflict if it is still referenced or is
 * the caller
 */
export async function deleteRecord(
  records: Records,
  caller: Caller,
  entity: Entity,
  address: RecordAddress,
  conditions: Conditions,
): Promise<Row> {
  const { tenantId } = caller;
  const { row, noneThere, column } = await findAddressed(records.sql, caller, entity, address, "AccessManager:Delete");
  return inTransaction(records, caller, entity, "one", async (tx, record) => {
    const before = await rowsOf(entity).find(tx, tenantId, row, "for update");
    // A concurrent request may have done it first.
    if (!before || !isEqual(before[column], row[column])) throw noneThere();
    await removeRecord(tx, caller, entityKind(records, entity), before, conditions);
    await record(changeOf(entity, "Deleted", [{ ...before, sequence: before.sequence + 1 }]));
    return before;
  });
}
