// What a change of a record brings about in its transaction, beside its event.

import type { Caller } from "../access/index.ts";
import { type AuditEntry, changesOf, recordAudit } from "../audit/index.ts";
import type { Transaction } from "../db/connection.ts";
import type { Entity } from "./registry.ts";
import type { Row } from "./store.ts";
import type { Records } from "./transaction.ts";

/** `before` is missing of a new record, `after` of one that goes. */
export interface RowChange {
  before?: Row;
  after?: Row;
}

/**
 * Tells who wants to know of it. What a person has changed, in Settings or by an application, stands in the audit log:
 * the event does not say who has deleted a record. What clients change by themselves would only be the events again.
 */
export async function followChange(
  tx: Transaction,
  { onChange }: Pick<Records, "onChange">,
  caller: Caller,
  entity: Entity,
  change: RowChange,
): Promise<void> {
  await onChange(tx, caller, entity.name, change);
  if (caller.actor.type === "User") await recordAudit(tx, caller.tenantId, caller, entryOf(entity, change));
}

/** Names of fields, and the values only of those that say yes or no: the others may be about people. */
function entryOf(entity: Entity, { before, after }: RowChange): AuditEntry {
  const subject = { type: entity.name, id: (after ?? before)!.id };
  if (!before) return { kind: "Record.Created", subject };
  if (!after) return { kind: "Record.Deleted", subject };
  const told = [...entity.fields.filter(({ readOnly }) => !readOnly), ...entity.references];
  const valuesOf = (row: Row) => Object.fromEntries(told.map(({ name, column }) => [name, row[column] ?? null]));
  const flags = entity.fields.filter(({ type }) => type === "boolean").map(({ name }) => name);
  const names = told.map(({ name }) => name);
  return { kind: "Record.Changed", subject, details: changesOf(valuesOf(before), valuesOf(after), names, flags) };
}
