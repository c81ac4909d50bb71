// PATCH and POST of one record: docs/behaviour.md "Write a record".

import type { Caller } from "../access/index.ts";
import type { Transaction } from "../db/sql.ts";
import type { Conditions } from "../http/conditions.ts";
import { writeRecord } from "../records/index.ts";
import { type EntityInput, parseInput } from "./input.ts";
import { entityKind, givenIdentifiers } from "./kind.ts";
import { changeOf } from "./record.ts";
import type { Entity } from "./registry.ts";
import { type Row, waitForTurn } from "./store.ts";
import { inTransaction, type Records } from "./transaction.ts";

/** What else is done in the transaction that writes a record; again with it, if that lost a race. */
export type Alongside = (tx: Transaction, recordId: number) => Promise<void>;

/**
 * Updates the record that Id or an identifier points at, or inserts one; its event stands in the same transaction.
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
 * Who sets a foreign key locks two rows, its own and the one it points at, and no order of ids suits both. And where
 * no constraint keeps an identifier unique, two callers could insert it at the same time. A turn that PostgreSQL itself
 * takes has to come before the rows are locked.
 */
function needsTurn(entity: Entity, input: EntityInput): boolean {
  if (input.references.some(({ target }) => target !== null)) return true;
  if (entity.fields.some(({ column, takesTurns }) => takesTurns && input.values[column] !== undefined)) return true;
  return input.id === undefined && givenIdentifiers(entity, input).some(({ unique }) => unique === undefined);
}
