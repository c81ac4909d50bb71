// DELETE of one record, found as GET finds it.

import { type Caller, requireSeen } from "../access/index.ts";
import type { Transaction } from "../db/sql.ts";
import { Conflict } from "../errors.ts";
import type { Conditions } from "../http/conditions.ts";
import { findAddressed, type RecordAddress } from "./read.ts";
import { changeOf, toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { countReferencing, deleteRow, lockById, type Row } from "./store.ts";
import { followChange, inTransaction, type Records, refuseOwnEnd } from "./transaction.ts";
import { isEqual } from "./values.ts";

/**
 * Deletes the record and all that is its own (a client's credentials and secrets, a user's password).
 * @returns its last state
 * @throws BadInput, NotFound, MultipleRows, Permission, PreconditionFailed, Conflict if another record points at it, or
 * the caller is the record
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
    const before = await lockById(tx, tenantId, entity, row.id);
    // Somebody may have been faster.
    if (!before || !isEqual(before[column], row[column])) throw noneThere();
    caller.permissions.require("AccessManager:Delete", entity.name, toRecord(entity, before));
    await requireSeen(tx, caller, entity.name, conditions, before, toRecord(entity, before));
    refuseOwnEnd(caller, entity, before.id, "delete");
    await refuseIfReferenced(tx, caller, entity, before.id);
    await followChange(tx, records, caller, entity, { before });
    await deleteRow(tx, tenantId, entity, before.id);
    await record(changeOf(entity, "Deleted", [{ ...before, sequence: before.sequence + 1 }]));
    return before;
  });
}

/** The row is locked, so nothing new can come to point at it. How many do is told to who may see them all. */
async function refuseIfReferenced(tx: Transaction, caller: Caller, entity: Entity, id: number): Promise<void> {
  const { tenantId, gate } = caller;
  const held: string[] = [];
  for (const referencing of entity.referencedBy) {
    const { name } = referencing.entity;
    const count = await countReferencing(tx, tenantId, referencing, id);
    if (count > 0) held.push(`${gate.seesAll(name) ? `${count} ` : ""}${name} (${referencing.name})`);
  }
  if (held.length > 0) {
    throw new Conflict(
      `${entity.name} ${id} is still pointed at by ${held.join(" and ")}. Change or delete these first.`,
    );
  }
}
