// Entities as kinds of records.

import type { Caller } from "../access/index.ts";
import type { Transaction } from "../db/sql.ts";
import { BadInput, Conflict, NotFound } from "../errors.ts";
import { printable } from "../http/body.ts";
import { toRecordId } from "../http/query.ts";
import type { TenantId } from "../ids.ts";
import {
  type Changes,
  countReferencing,
  type Entity,
  type EntityInput,
  type Found,
  findByField,
  heldByAnother,
  isEqual,
  lockByIdentifiers,
  type RecordKind,
  type Row,
  refuseCycles,
  resolveReferences,
  rowsOf,
  unvouched,
  type WrittenRow,
} from "../records/index.ts";
import { holdUserAttributes } from "./attributes.store.ts";
import { type Attributes, attributeProblems, mergedAttributes, type SentAttributes } from "./attributes.ts";
import { toRecord } from "./record.ts";
import { auditPerson, type Records, refuseOwnEnd } from "./transaction.ts";

/** @param told Ids of records already in the transaction's event: further changes get no new number */
export function entityKind(
  { onChange }: Pick<Records, "onChange">,
  entity: Entity,
  told: Pick<ReadonlyMap<number, unknown>, "has"> = new Map(),
): RecordKind<Caller, Row, EntityInput> {
  const { name } = entity;
  return {
    declaration: entity,
    recordOf: (row) => toRecord(entity, row),
    version: (row) => row,
    lock: (tx, { tenantId }, input) => lockTargets(tx, tenantId, entity, input),
    async prepare(tx, caller, input, before) {
      const { columns, shown } = await resolveReferences(tx, caller, entity, input);
      const given = { ...input.values, ...columns, ...mergedIn(entity, input, before) };
      return { ...before, ...unvouched(entity, before, given), ...shown } as Row;
    },
    async check(tx, caller, { before, after, input }) {
      await refuseCycles(tx, caller.tenantId, entity, input, after, before?.id);
      const record = before && toRecord(entity, before);
      entity.refuseReadOnly(input.sent, record && caller.gate.sees(name, record) ? record : undefined);
      refuseEmptyWord(entity, after);
      await refuseWrongAttributes(tx, caller.tenantId, entity, input, after);
      if (before?.is_active && !after.is_active) refuseOwnEnd(caller, entity, before.id, "deactivate");
      if (before) await refuseHeld(tx, caller.tenantId, entity, { before, after });
    },
    isSame: (before, after) => Object.keys(changed(entity, before, after)).length === 0,
    insert: (tx, { tenantId, actor }, row) => rowsOf(entity).insert(tx, tenantId, changed(entity, {}, row), actor),
    update(tx, { tenantId, actor }, row, before) {
      const sequence = told.has(before.id) ? before.sequence : before.sequence + 1;
      return rowsOf(entity).update(tx, tenantId, { ...changed(entity, before, row), id: before.id, sequence }, actor);
    },
    afterWrite: (tx, caller, change) => onChange(tx, caller, name, change),
    async checkRemoval(tx, caller, row) {
      refuseOwnEnd(caller, entity, row.id, "delete");
      await refuseIfReferenced(tx, caller, entity, row.id);
    },
    async remove(tx, caller, row) {
      await onChange(tx, caller, name, { before: row });
      await rowsOf(entity).remove(tx, caller.tenantId, row.id);
    },
    audit: (tx, caller, change) => auditPerson(tx, caller, entity, change),
  };
}

/** The columns with different values. */
function changed({ fields, references }: Entity, before: Partial<Row>, after: Row): Changes {
  const columns = [...fields.filter(({ readOnly }) => !readOnly), ...references].map(({ column }) => column);
  return Object.fromEntries(
    columns.filter((column) => !isEqual(before[column], after[column])).map((column) => [column, after[column]]),
  );
}

/** An Id always means its record, even one named by a stranger. */
async function lockTargets(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  input: EntityInput,
): Promise<Found<Row>> {
  // Rule 1: Id is not empty.
  if (input.id !== undefined) {
    const id = toRecordId(input.id);
    const row = id === undefined ? undefined : await rowsOf(entity).find(tx, tenantId, { id }, "for update");
    if (!row) throw new NotFound(`There is no ${entity.name} with the Id ${printable(input.id)}.`);
    return { rows: [row] };
  }
  const identifiers = givenIdentifiers(entity, input);
  // Rule 3: all are empty.
  if (identifiers.length === 0) return { rows: [] };
  // Rule 2: the given ones are the record's unique identifiers.
  const named = await lockByIdentifiers(tx, tenantId, entity, identifiers);
  const rows = named.map(({ row }) => row);
  if (rows.length > 1) return { rows, refusal: pointsAtSeveral(entity, input) };
  return named[0]?.isStrangers ? { rows, refusal: isStrangers(entity, rows[0]!) } : { rows };
}

/** A name does not match a record that a stranger has named. */
function isStrangers({ name }: Entity, { id }: Row): Conflict {
  return new Conflict(
    `The ${name} of this name registered itself. Change it by its Id ${id}, or choose a different name.`,
  );
}

function pointsAtSeveral(entity: Entity, input: EntityInput): BadInput {
  const names = givenIdentifiers(entity, input).map(({ name }) => name);
  const point = names.length > 1 ? "point" : "points";
  return new BadInput(`${names.join(", ")} ${point} at several ${entity.name} records.`);
}

/** The identifiers that are not empty. */
export function givenIdentifiers(entity: Entity, input: EntityInput) {
  return entity.fields
    .filter(({ name, column }) => entity.identifiers.includes(name) && input.values[column])
    .map(({ name, column, unique }) => ({ name, column, unique, value: String(input.values[column]) }));
}

export const attributesFieldOf = (entity: Entity) => entity.fields.find(({ type }) => type === "attributes");

/** Attributes that a body omits stay unchanged. */
function mergedIn(entity: Entity, { values }: EntityInput, before: Row | undefined): Record<string, Attributes> {
  const column = attributesFieldOf(entity)?.column;
  if (column === undefined || values[column] === undefined) return {};
  return { [column]: mergedAttributes(before?.[column], values[column] as SentAttributes | null) };
}

/** @throws BadInput naming values that contradict the tenant's definitions */
async function refuseWrongAttributes(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  { values }: EntityInput,
  after: Row,
): Promise<void> {
  const column = attributesFieldOf(entity)?.column;
  if (column === undefined || values[column] === undefined) return;
  const definitions = await holdUserAttributes(tx, tenantId);
  const sent = values[column] as SentAttributes | null;
  const problems = attributeProblems(definitions, sent, after[column] as Attributes);
  if (problems.length > 0) throw BadInput.of(problems);
}

/** A verification without a value is rejected. */
function refuseEmptyWord(entity: Entity, after: Row): void {
  const empty = entity.fields.filter(({ column, vouchesFor }) => vouchesFor && after[column] && !after[vouchesFor]);
  if (empty.length === 0) return;
  const nameOf = (column: string) => entity.fields.find((field) => field.column === column)!.name;
  throw new BadInput(
    ...empty.map(({ name, vouchesFor }) => `${name} cannot be true: the ${entity.name} has no ${nameOf(vouchesFor!)}.`),
  );
}

/** Checks all of them, because a constraint names only the first. Constraints fail only after a race. */
async function refuseHeld(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  { before, after }: Required<WrittenRow<Row>>,
): Promise<void> {
  const held: string[] = [];
  for (const { name, column, unique } of entity.fields) {
    const value = after[column];
    if (!unique || value === null || isEqual(value, before?.[column])) continue;
    const holders = await findByField(tx, tenantId, entity, column, value);
    if (holders.length > 0) held.push(heldByAnother(entity.name, name));
  }
  if (held.length > 0) throw new Conflict(...held);
}

/** The row is locked, so no new reference can appear. The count is shown only to callers who may see all referrers. */
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
      `${entity.name} ${id} is still referenced by ${held.join(" and ")}. Change or delete these first.`,
    );
  }
}
