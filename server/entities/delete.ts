// DELETE of one record, found as GET finds it.

import type { Caller } from "../access/index.ts";
import type { Transaction } from "../db/connection.ts";
import { Conflict } from "../errors.ts";
import { type Conditions, requireConditions } from "../http/conditions.ts";
import type { TenantId } from "../tenant-id.ts";
import { followChange } from "./follow-change.ts";
import { refuseOwnEnd } from "./own-access.ts";
import { type Address, requireOne, resolveAddress } from "./read.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { countReferencing, deleteRow, lockByField, type Row } from "./store.ts";
import { inTransaction, type Records } from "./transaction.ts";

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
  address: Address,
  conditions: Conditions,
): Promise<Row> {
  const { tenantId } = caller;
  const { field, text, value } = resolveAddress(entity, address);
  return inTransaction(records, caller, entity, async (tx, record) => {
    const before = requireOne(entity, field, text, await lockByField(tx, tenantId, entity, field.column, value));
    caller.permissions.require("AccessManager:Delete", entity.name, toRecord(entity, before));
    requireConditions(conditions, before);
    refuseOwnEnd(caller, entity, before.id, "delete");
    await refuseIfReferenced(tx, tenantId, entity, before.id);
    await followChange(tx, records, caller, entity, { before });
    await deleteRow(tx, tenantId, entity, before.id);
    await record({
      eventType: "Deleted",
      eventRecord: entity.name,
      recordIds: [String(before.id)],
      data: toRecord(entity, before),
    });
    return before;
  });
}

/** The row is locked, so nothing new can come to point at it. */
async function refuseIfReferenced(tx: Transaction, tenantId: TenantId, entity: Entity, id: number): Promise<void> {
  const held: string[] = [];
  for (const referencing of entity.referencedBy) {
    const count = await countReferencing(tx, tenantId, referencing, id);
    if (count > 0) held.push(`${count} ${referencing.entity.name} (${referencing.name})`);
  }
  if (held.length > 0) {
    throw new Conflict(
      `${entity.name} ${id} is still pointed at by ${held.join(" and ")}. Change or delete these first.`,
    );
  }
}
