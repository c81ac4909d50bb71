// PATCH and POST of an entity: docs/behaviour.md "Write a record", in its order.

import { type Actor, type Caller, requireSeen } from "../access/index.ts";
import { refusalOf } from "../db/failures.ts";
import type { Transaction } from "../db/sql.ts";
import { BadInput, Conflict, NotFound } from "../errors.ts";
import { printable } from "../http/body.ts";
import { type Conditions, requireConditions } from "../http/conditions.ts";
import { readDate } from "../http/dates.ts";
import { toRecordId } from "../http/query.ts";
import type { TenantId } from "../ids.ts";
import { holdUserAttributes } from "./attributes.store.ts";
import { type Attributes, attributeProblems, mergedAttributes, type SentAttributes } from "./attributes.ts";
import { type EntityInput, parseInput } from "./input.ts";
import { changeOf, toRecord } from "./record.ts";
import { resolveReferences } from "./references.ts";
import type { Entity } from "./registry.ts";
import {
  type Changes,
  findByField,
  insertRow,
  lockById,
  lockByIdentifiers,
  type NamedRow,
  type Row,
  updateRow,
  waitForTurn,
} from "./store.ts";
import { ATTEMPTS, followChange, inTransaction, keepsChanging, type Records, refuseOwnEnd } from "./transaction.ts";
import { isEqual, unvouched } from "./values.ts";

/** What an upsert came to; the same row twice: nothing was to be changed. */
export interface ChangedRows {
  before: Row | undefined;
  after: Row;
}

/** What else is done in the transaction that writes a record; again with it, if that lost a race. */
export type Alongside = (tx: Transaction, recordId: number) => Promise<void>;

const UNIQUE_VIOLATION = "23505";

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
  return inTransaction(records, caller, entity, "one", async (tx, record) => {
    if (needsTurn(entity, input)) await waitForTurn(tx, caller.tenantId, entity);
    const { before, after } = await applyUpsert(tx, records, caller, entity, input, conditions);
    if (after !== before) await record(changeOf(entity, before ? "Updated" : "Created", [after]));
    await alongside?.(tx, after.id);
    return after;
  });
}

/** Ids of the records that the transaction's event tells of already: another change of them counts no further. */
type Told = Pick<ReadonlyMap<number, unknown>, "has">;

/** One record of a transaction, without its event. */
export async function applyUpsert(
  tx: Transaction,
  records: Records,
  caller: Caller,
  entity: Entity,
  input: EntityInput,
  conditions: Conditions,
  told: Told = new Map(),
): Promise<ChangedRows> {
  const { tenantId, actor } = caller;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const [target, ...others] = await lookUpTargets(tx, tenantId, entity, input);
    const before = target?.row;
    // These two compare nothing: whether there is a record.
    if (!before || conditions.ifNoneMatch === "*") requireConditions(conditions, before);
    const { columns, shown } = await resolveReferences(tx, caller, entity, input, before?.id);
    const merged = mergedIn(entity, input, before);
    const changes: Changes = unvouched(entity, before, { ...input.values, ...columns, ...merged });
    // The record as it would stand, before anything is written.
    const proposed: Partial<Row> = { ...before, ...changes, ...shown };
    requirePermission(caller, entity, before, proposed);
    // Only a caller who may change each of them learns that there are several.
    for (const { row } of others) requirePermission(caller, entity, row, { ...row, ...changes, ...shown });
    if (others.length > 0) throw pointsAtSeveral(entity, input);
    if (target) refuseStrangers(entity, target);
    // Only now, so that who may not change a record learns of no value whether it is right.
    if (before) await requireSeen(tx, caller, entity.name, conditions, before, toRecord(entity, before));
    refuseChangedEchoes(caller, entity, input, before);
    refuseEmptyWord(entity, proposed);
    await refuseWrongAttributes(tx, tenantId, input, merged);
    if (before?.is_active && !proposed.is_active) refuseOwnEnd(caller, entity, before.id, "deactivate");
    if (before && Object.keys(changes).every((column) => isEqual(before[column], proposed[column]))) {
      return { before, after: before };
    }
    const after = await write(tx, tenantId, entity, before, changes, told, actor);
    if (!after) continue;
    await followChange(tx, records, caller, entity, { before, after });
    return { before, after };
  }
  throw keepsChanging(entity);
}

export const attributesFieldOf = (entity: Entity) => entity.fields.find(({ type }) => type === "attributes");

/** Those attributes that a body leaves out stay as they are. */
function mergedIn(entity: Entity, { values }: EntityInput, before: Row | undefined): Record<string, Attributes> {
  const column = attributesFieldOf(entity)?.column;
  if (column === undefined || values[column] === undefined) return {};
  return { [column]: mergedAttributes(before?.[column], values[column] as SentAttributes | null) };
}

/** @throws BadInput naming those that are not as the tenant has them */
async function refuseWrongAttributes(
  tx: Transaction,
  tenantId: TenantId,
  { values }: EntityInput,
  merged: Record<string, Attributes>,
): Promise<void> {
  const [one] = Object.entries(merged);
  if (!one) return;
  const [column, after] = one;
  const definitions = await holdUserAttributes(tx, tenantId);
  const problems = attributeProblems(definitions, values[column] as SentAttributes | null, after);
  if (problems.length > 0) throw BadInput.of(problems);
}

/** Policies judge the record before and after. */
function requirePermission(
  { permissions }: Caller,
  entity: Entity,
  before: Row | undefined,
  proposed: Partial<Row>,
): void {
  const after = toRecord(entity, proposed);
  if (before) permissions.require("AccessManager:Update", entity.name, toRecord(entity, before), after);
  else permissions.require("AccessManager:Create", entity.name, after);
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

/** @returns one, if the input is sound. An Id means its record, also one that a stranger has named */
async function lookUpTargets(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  input: EntityInput,
): Promise<NamedRow[]> {
  // Rule 1: Id is not empty.
  if (input.id !== undefined) {
    const id = toRecordId(input.id);
    const row = id === undefined ? undefined : await lockById(tx, tenantId, entity, id);
    if (!row) throw new NotFound(`There is no ${entity.name} with the Id ${printable(input.id)}.`);
    return [{ row, isStrangers: false }];
  }
  const identifiers = givenIdentifiers(entity, input);
  // Rule 3: all are empty.
  if (identifiers.length === 0) return [];
  // Rule 2: the given ones are the record's unique identifiers.
  return lockByIdentifiers(tx, tenantId, entity, identifiers);
}

/** A caller who writes a name does not mean the record to which a stranger gave it. @throws Conflict */
function refuseStrangers({ name }: Entity, { row, isStrangers }: NamedRow): void {
  if (!isStrangers) return;
  throw new Conflict(
    `The ${name} of this name has registered itself. Change it by its Id ${row.id}, or take another name.`,
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

/** Read-only fields may be sent back unchanged, but only by a caller who may read them. */
function refuseChangedEchoes(
  { gate }: Pick<Caller, "gate">,
  entity: Entity,
  { echoes }: EntityInput,
  before: Row | undefined,
): void {
  const sent = echoes.filter(({ value }) => value !== null);
  if (sent.length === 0) return;
  const record = before && toRecord(entity, before);
  const current = record && gate.sees(entity.name, record) ? record : undefined;
  const changed = sent.filter(({ field, value }) => !isEcho(value, current?.[field.name]));
  if (changed.length > 0) {
    throw new BadInput(...changed.map(({ field }) => `${field.name} is set by the server and cannot be changed.`));
  }
}

/** There is nothing that could be vouched for. */
function refuseEmptyWord(entity: Entity, proposed: Partial<Row>): void {
  const empty = entity.fields.filter(
    ({ column, vouchesFor }) => vouchesFor && proposed[column] && !proposed[vouchesFor],
  );
  if (empty.length === 0) return;
  const nameOf = (column: string) => entity.fields.find((field) => field.column === column)!.name;
  throw new BadInput(
    ...empty.map(({ name, vouchesFor }) => `${name} cannot be true: the ${entity.name} has no ${nameOf(vouchesFor!)}.`),
  );
}

/** A date may come back in another notation of the same moment. */
function isEcho(value: unknown, own: unknown): boolean {
  if (value === own) return true;
  return typeof value === "string" && typeof own === "string" && isEqual(readDate(value) ?? value, readDate(own));
}

/** @returns undefined if a racing caller inserted a unique value in between: the next look-up finds it */
async function write(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  before: Row | undefined,
  changes: Changes,
  told: Told,
  actor: Actor,
): Promise<Row | undefined> {
  if (before) await refuseHeld(tx, tenantId, entity, before, changes);
  try {
    if (!before) return await insertRow(tx, tenantId, entity, changes, actor);
    const sequence = told.has(before.id) ? before.sequence : before.sequence + 1;
    return await updateRow(tx, tenantId, entity, before.id, changes, sequence, actor);
  } catch (error) {
    const { code, constraint_name } = error as { code?: string; constraint_name?: string };
    if (code !== UNIQUE_VIOLATION) throw error;
    const refusal = refusalOf(error);
    if (refusal) throw refusal;
    const field = entity.fields.find((candidate) => candidate.unique === constraint_name);
    throw new Conflict(heldByAnother(entity, field?.name ?? "A unique value"));
  }
}

/** The constraints name only the first, and only a race comes as far as to them. */
async function refuseHeld(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  before: Row,
  changes: Changes,
): Promise<void> {
  const held: string[] = [];
  for (const { name, column, unique } of entity.fields) {
    const value = changes[column];
    if (unique === undefined || value === undefined || value === null || isEqual(value, before[column])) continue;
    const holders = await findByField(tx, tenantId, entity, column, value);
    if (holders.length > 0) held.push(heldByAnother(entity, name));
  }
  if (held.length > 0) throw new Conflict(...held);
}

function heldByAnother(entity: Entity, name: string): string {
  return `${name} is held by another ${entity.name}.`;
}
