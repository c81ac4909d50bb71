// PATCH and POST of one record: docs/behaviour.md "Write a record".

import type { Caller } from "../access/index.ts";
import type { Transaction } from "../db/sql.ts";
import type { Conditions } from "../http/conditions.ts";
import { type Entity, type EntityInput, parseInput, type Row, waitForTurn, writeRecord } from "../records/index.ts";
import { entityKind, givenIdentifiers } from "./kind.ts";
import { changeOf } from "./record.ts";
import { inTransaction, type Records } from "./transaction.ts";

/** Additional work in the transaction that writes a record; repeated if that is retried. */
export type Alongside = (tx: Transaction, recordId: number) => Promise<void>;

/**
 * Updates the record with this Id or identifier, or inserts one, with its event in the same transaction.
 * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
 */
export async function upsertRecord(
  records: Records,
  caller: Caller,
  entity: Entity,
  body: unknown,
  conditions: Conditions,
  alongside?: Alongside,
): Promise<Row> {
  const input = parseInput(entity, body);
  const kind = entityKind(records, entity);
  return inTransaction(records, caller, entity, "one", async (tx, record) => {
    if (needsTurn(entity, input)) await waitForTurn(tx, caller.tenantId, entity);
    const { before, after } = await writeRecord(tx, caller, kind, input, conditions);
    if (after !== before) await record(changeOf(entity, before ? "Updated" : "Created", [after]));
    await alongside?.(tx, after.id);
    return after;
  });
}

/**
 * Setting a foreign key locks two rows, its own and its target, and no order of ids avoids deadlocks. Without a
 * constraint, two callers could also insert the same identifier. PostgreSQL's own serialization must come before row
 * locks.
 */
function needsTurn(entity: Entity, input: EntityInput): boolean {
  if (input.references.some(({ target }) => target !== null)) return true;
  if (entity.fields.some(({ column, takesTurns }) => takesTurns && input.values[column] !== undefined)) return true;
  return input.id === undefined && givenIdentifiers(entity, input).some(({ unique }) => !unique);
}
