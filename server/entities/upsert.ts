// PATCH and POST of an entity: SPEC.md Endpoints 5, in its order.

import type { Sql, Transaction } from "../db/connection.ts";
import { BadInput, Conflict, MultipleRows, NotFound } from "../errors.ts";
import { printable } from "../http/body.ts";
import type { TenantId } from "../tenants/index.ts";
import { recordEvent } from "../webhooks/index.ts";
import type { EntityDefinition } from "./definition.ts";
import { type EntityInput, parseInput, type ReferenceInput, wholeNumber } from "./input.ts";
import { toRecord } from "./record.ts";
import {
  type Actor,
  type Changes,
  findReferenced,
  insertRow,
  lockById,
  lockByIdentifiers,
  type Row,
  updateRow,
  waitForTurn,
} from "./store.ts";

/** A racing insert makes us look again; more than this many times in a row is no race. */
const LOOK_UPS = 5;
const DEADLOCK = "40P01";
const UNIQUE_VIOLATION = "23505";

/**
 * Updates the record that Id or an identifier points at, or inserts one; its event stands in the same transaction.
 * @throws BadInput, NotFound, MultipleRows, Conflict
 */
export async function upsertRecord(
  sql: Sql,
  caller: { tenantId: TenantId; actor: Actor },
  entity: EntityDefinition,
  body: unknown,
): Promise<Record<string, unknown>> {
  const input = parseInput(entity, body);
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.begin((tx) => upsert(tx, caller, entity, input));
    } catch (error) {
      const failure = error as { code?: string; constraint_name?: string };
      if (failure.code === DEADLOCK && attempt < LOOK_UPS) continue;
      if (failure.code === DEADLOCK) throw keepsChanging(entity);
      if (failure.code === UNIQUE_VIOLATION) throw heldByAnother(entity, failure.constraint_name);
      throw error;
    }
  }
}

async function upsert(
  tx: Transaction,
  caller: { tenantId: TenantId; actor: Actor },
  entity: EntityDefinition,
  input: EntityInput,
): Promise<Record<string, unknown>> {
  const { tenantId, actor } = caller;
  if (input.references.some(({ target }) => target !== null)) await waitForTurn(tx, tenantId, entity);
  for (let lookUp = 1; lookUp <= LOOK_UPS; lookUp++) {
    const before = await lookUpTarget(tx, tenantId, entity, input);
    refuseChangedEchoes(entity, input, before);
    const changes = { ...input.values, ...(await resolveReferences(tx, tenantId, entity, input, before)) };
    if (before && !differs(before, changes)) return toRecord(entity, before);

    const after = before
      ? await updateRow(tx, tenantId, entity, before.id, changes, actor)
      : await insertRow(tx, tenantId, entity, changes, actor);
    if (!after) continue;
    const record = toRecord(entity, after);
    await recordEvent(tx, tenantId, {
      eventType: before ? "Updated" : "Created",
      eventRecord: entity.name,
      recordId: String(after.id),
      data: record,
    });
    return record;
  }
  throw keepsChanging(entity);
}

async function lookUpTarget(
  tx: Transaction,
  tenantId: TenantId,
  entity: EntityDefinition,
  input: EntityInput,
): Promise<Row | undefined> {
  // Rule 1: Id is not empty.
  if (input.id !== undefined) {
    const id = wholeNumber(input.id);
    const row = id === undefined ? undefined : await lockById(tx, tenantId, entity, id);
    if (!row) throw new NotFound(`There is no ${entity.name} with the Id ${printable(input.id)}.`);
    return row;
  }
  const identifiers = entity.fields
    .filter((field) => entity.identifiers.includes(field.name) && input.values[field.column])
    .map((field) => ({ column: field.column, value: String(input.values[field.column]) }));
  // Rule 3: all are empty.
  if (identifiers.length === 0) return undefined;
  // Rule 2: the given ones are the record's unique identifiers.
  const rows = await lockByIdentifiers(tx, tenantId, entity, identifiers);
  if (rows.length > 1) {
    throw new MultipleRows(`${entity.identifiers.join(", ")} point at different ${entity.name} records.`);
  }
  return rows[0];
}

/** Read-only fields may come back as they were read, but not changed. */
function refuseChangedEchoes(entity: EntityDefinition, input: EntityInput, before: Row | undefined): void {
  const current = before ? toRecord(entity, before) : undefined;
  const changed = input.echoes.filter(({ field, value }) => {
    return value !== null && !isSame(value, current?.[field.name]);
  });
  if (changed.length > 0) {
    throw new BadInput(...changed.map(({ field }) => `${field.name} is set by the server and cannot be changed.`));
  }
}

/** A date may come back in another notation of the same moment. */
function isSame(value: unknown, own: unknown): boolean {
  return value === own || (typeof value === "string" && Date.parse(value) === Date.parse(String(own)));
}

async function resolveReferences(
  tx: Transaction,
  tenantId: TenantId,
  entity: EntityDefinition,
  input: EntityInput,
  before: Row | undefined,
): Promise<Changes> {
  const changes: Changes = {};
  for (const { name, type, target } of input.actors) {
    const table = type === "Application" ? "applications" : "users";
    const found = await findReferenced(tx, tenantId, table, target.by, target.value);
    requireOne(name, target, found);
  }
  for (const { reference, target } of input.references) {
    // There are no identity providers to point at yet; an empty reference is fine.
    const found =
      target && reference.target === "Application"
        ? await findReferenced(tx, tenantId, "applications", target.by, target.value)
        : [];
    const id = target ? requireOne(reference.name, target, found) : null;
    if (id !== null && id === before?.id) throw new BadInput(`${reference.name} points at the ${entity.name} itself.`);
    if (reference.column) changes[reference.column] = id;
  }
  return changes;
}

function requireOne(name: string, target: ReferenceInput, found: number[]): number {
  if (found.length > 1) throw new MultipleRows(`${name} points at several records.`);
  if (found.length === 0) throw new BadInput(`${name} points at no record (by ${target.by}).`);
  return found[0]!;
}

function differs(before: Row, changes: Changes): boolean {
  return Object.entries(changes).some(([column, value]) => before[column] !== value);
}

function heldByAnother(entity: EntityDefinition, constraint: string | undefined): Conflict {
  const field = entity.fields.find((candidate) => candidate.unique === constraint);
  return new Conflict(`${field?.name ?? "A unique value"} is held by another ${entity.name}.`);
}

function keepsChanging(entity: EntityDefinition): Conflict {
  return new Conflict(`Another caller keeps changing the same ${entity.name}. Try again.`);
}
