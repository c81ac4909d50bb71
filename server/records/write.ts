// The sequence for writing records of every kind: docs/behaviour.md "Write a record".

import { FOREIGN_KEY_VIOLATION, Raced, refusalOf } from "../platform/db/failures.ts";
import { noteChange } from "../platform/db/keyed.store.ts";
import type { Transaction } from "../platform/db/sql.ts";
import { Conflict } from "../platform/errors.ts";
import { type Conditions, hasConditions, requireConditions } from "../platform/http/conditions.ts";
import type { Declaration } from "./record.ts";
import type { RecordKind, Writer, WrittenRow } from "./write-parts.ts";

const UNIQUE_VIOLATION = "23505";

/**
 * The caller must pass the result through the gate. @param tx of `begin`, which repeats it after races
 * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
 */
export async function writeRecord<By extends Writer, Row extends object, Input extends object>(
  tx: Transaction,
  caller: By,
  kind: RecordKind<By, Row, Input>,
  input: Input,
  conditions: Conditions,
): Promise<WrittenRow<Row>> {
  const { isSame = (before: Row, after: Row) => Bun.deepEquals(before, after) } = kind;
  const { rows, refusal } = await kind.lock(tx, caller, input);
  const [before, ...others] = rows;
  requireExistence(conditions, before);
  const after = await kind.prepare(tx, caller, input, before);
  requirePermission(caller, kind, before, after);
  for (const other of others) requirePermission(caller, kind, other, await kind.prepare(tx, caller, input, other));
  if (refusal) throw refusal;
  // After authorization, so callers cannot probe values.
  if (before) await requireSeen(tx, caller, kind, before, conditions);
  requireReadOnly(caller, kind, before, input);
  await kind.check?.(tx, caller, { before, after, input });
  if (before && isSame(before, after, input)) return { before, after: before };
  const saved = await stored(kind.declaration, () =>
    before ? kind.update(tx, caller, after, before) : kind.insert!(tx, caller, after, input),
  );
  noteChange(tx, kind.recordOf(saved).Id as string | number | undefined);
  const change = { before, after: saved };
  await kind.afterWrite?.(tx, caller, { ...change, input });
  await kind.audit(tx, caller, change);
  await kind.announce?.(tx, caller, change);
  return change;
}

/** Deletes a record. @param row under its lock @throws Permission, Conflict, PreconditionFailed */
export async function removeRecord<By extends Writer, Row extends object>(
  tx: Transaction,
  caller: By,
  kind: RecordKind<By, Row, never>,
  row: Row,
  conditions: Conditions,
): Promise<void> {
  const { name, scopes } = kind.declaration;
  caller.permissions.require(scopes.remove, name, kind.recordOf(row));
  await requireSeen(tx, caller, kind, row, conditions);
  await kind.checkRemoval?.(tx, caller, row);
  await kind.remove!(tx, caller, row);
  await kind.audit(tx, caller, { before: row });
  await kind.announce?.(tx, caller, { before: row });
}

/** If-None-Match: * and a missing record need no version. */
function requireExistence(conditions: Conditions, before: object | undefined): void {
  if (!before || conditions.ifNoneMatch === "*") requireConditions(conditions, before);
}

/** Policies check the record before and after. */
function requirePermission<By extends Writer, Row extends object>(
  { permissions }: By,
  { declaration: { name, scopes }, recordOf, judged = recordOf }: RecordKind<By, Row, never>,
  before: Row | undefined,
  after: Row,
): void {
  if (before) permissions.require(scopes.update, name, recordOf(before), judged(after));
  else permissions.require(scopes.create, name, judged(after));
}

/** If-Match: the record must be unchanged since the caller read it. @throws PreconditionFailed */
async function requireSeen<By extends Writer, Row extends object>(
  tx: Transaction,
  { gate }: By,
  { declaration: { name }, recordOf, version = recordOf }: RecordKind<By, Row, never>,
  row: Row,
  conditions: Conditions,
): Promise<void> {
  if (!hasConditions(conditions)) return;
  requireConditions(conditions, await gate.versionIn(tx, name, version(row), recordOf(row)));
}

/** Bodies may repeat the values of read-only fields that the caller can read. @throws BadInput */
function requireReadOnly<By extends Writer, Row extends object>(
  { gate }: By,
  { declaration, recordOf }: RecordKind<By, Row, never>,
  before: Row | undefined,
  input: object,
): void {
  const record = before && recordOf(before);
  declaration.refuseReadOnly(input, record, () => record !== undefined && gate.sees(declaration.name, record));
}

/** @throws Conflict naming the unique field, Raced */
async function stored<Row>(
  { name, unique }: Pick<Declaration, "name" | "unique">,
  write: () => Promise<Row | undefined>,
): Promise<Row> {
  const saved = await write().catch((error) => {
    const { code, constraint_name = "" } = error as { code?: string; constraint_name?: string };
    if (code !== UNIQUE_VIOLATION && code !== FOREIGN_KEY_VIOLATION) throw error;
    const refusal = refusalOf(error);
    if (refusal) throw refusal;
    if (code === UNIQUE_VIOLATION) {
      throw new Conflict(heldByAnother(name, unique.get(constraint_name) ?? "A unique value"));
    }
  });
  if (saved) return saved;
  // A unique value was taken, or a foreign key's target was deleted: when repeated, the look-up finds that.
  throw new Raced(new Conflict(`Another caller keeps changing the same ${name}. Try again.`));
}

export const heldByAnother = (name: string, field: string) => `${field} is already used by another ${name}.`;
