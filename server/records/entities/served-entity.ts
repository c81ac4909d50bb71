import type { Transaction } from "../../platform/db/sql.ts";
import { BadInput, Conflict, NotFound } from "../../platform/errors.ts";
import { printable } from "../../platform/http/body.ts";
import { isSameText } from "../../platform/http/fields.ts";
import { type Filters, toRecordId } from "../../platform/http/query.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Caller } from "../access/bearer.ts";
import { auditedAs, type ServedKind, tableKind } from "../access/record-service.ts";
import { recordAudit } from "../audit/write.ts";
import { foreseeFilters } from "../events/receivers.ts";
import { filtersOf } from "../filters.ts";
import { requireMembers } from "../reference-list.ts";
import { refuseCycles, resolveReferences } from "../references.ts";
import type { Entity } from "../registry.ts";
import {
  type Changes,
  countReferencing,
  listRows,
  lockByIdentifiers,
  lockEntity,
  type Row,
  rowsOf,
} from "../rows.store.ts";
import { selfMadeRecord } from "../self-made.ts";
import { type EntityInput, givenReferences, givenValues, isEqual, unvouched, vouching } from "../values.ts";
import { heldByAnother } from "../write.ts";
import type { Found, WrittenRow } from "../write-parts.ts";
import { holdUserAttributes } from "./attributes.store.ts";
import { type Attributes, attributeProblems, type SentAttributes } from "./attributes.ts";
import { isGroup, nestsGroups, refuseLockOut, refuseWrongNesting, requireItsRoles } from "./groups.ts";
import { announce, changeOf, type Records } from "./record.ts";

export function entityKind(
  records: Pick<Records, "onChange" | "onCommitted" | "limits">,
  entity: Entity,
): ServedKind<Row, Record<string, unknown>, EntityInput, Filters> {
  const { name } = entity;
  const { onChange } = records;
  const table = rowsOf(entity);
  const named = [...entity.fields, ...entity.references];
  return {
    ...tableKind<Entity["field"], Row>(entity, table, "for update"),
    version: (row) => row,
    filters: filtersOf(entity),
    async lock(tx, { tenantId }, input) {
      if (needsLock(entity, input)) await lockEntity(tx, tenantId, entity);
      const [found] = await Promise.all([lockTargets(tx, tenantId, entity, input), foreseeFilters(tx, tenantId, name)]);
      return found;
    },
    async prepare(tx, caller, input, before) {
      const { columns, shown } = await resolveReferences(tx, caller, entity, input);
      const kept = input.Id === undefined ? keptSpelling(entity, input, before) : {};
      const given = { ...givenValues(entity, input), ...kept, ...columns, ...mergedIn(entity, input, before) };
      return { ...before, ...unvouched(entity, before, given), ...shown } as Row;
    },
    async check(tx, caller, { before, after, input }) {
      await refuseCycles(tx, caller.tenantId, entity, input, after, before?.id);
      refuseEmptyWord(entity, after);
      await refuseWrongAttributes(tx, caller.tenantId, entity, input, after);
      if (before?.isActive && !after.isActive) refuseOwnEnd(caller, entity, before.id, "deactivate");
      if (before && isGroup(entity)) await requireItsRoles(tx, caller, "Group", before.id);
      if (before) await refuseHeld(tx, caller.tenantId, entity, { before, after });
    },
    isSame: (before, after) => Object.keys(changed(entity, before, after)).length === 0,
    async insert(tx, { tenantId, actor }, row) {
      await records.limits.admitRecord(tx, tenantId);
      return table.insert(tx, tenantId, changed(entity, {}, row), actor);
    },
    update(tx, { tenantId, actor }, row, before) {
      const next = { id: before.id, sequence: before.sequence + 1 };
      return table.update(tx, tenantId, { ...changed(entity, before, row), ...next }, actor, before);
    },
    async afterWrite(tx, caller, { before, after, input }) {
      requireMembers(entity, input, after);
      if (nestsGroups(entity, input.Members)) await refuseWrongNesting(tx, after.id);
      if (isGroup(entity)) await refuseLockOut(tx, caller);
      await onChange(tx, caller, name, { before, after });
    },
    async checkRemoval(tx, caller, row) {
      refuseOwnEnd(caller, entity, row.id, "delete");
      if (isGroup(entity)) await requireItsRoles(tx, caller, "Group", row.id);
      await refuseIfReferenced(tx, caller, entity, row.id);
    },
    async remove(tx, caller, row) {
      await onChange(tx, caller, name, { before: row });
      await table.remove(tx, caller.tenantId, row.id);
      if (isGroup(entity)) await refuseLockOut(tx, caller);
    },
    audit: auditedAs(recordAudit, entity, (row) =>
      Object.fromEntries(named.map((field) => [field.name, row[field.column] ?? null])),
    ),
    announce(tx, caller, { before, after }) {
      const change = after
        ? changeOf(entity, before ? "Updated" : "Created", [after], before && [before])
        : changeOf(entity, "Deleted", [{ ...before!, sequence: before!.sequence + 1 }]);
      return announce(tx, caller, entity, change, records);
    },
  };
}

/**
 * A foreign key locks two rows, and no order of ids avoids deadlocks. Without a constraint, two callers could insert
 * the same identifier. PostgreSQL's own serialization must come before row locks.
 */
function needsLock(entity: Entity, input: EntityInput): boolean {
  if (givenReferences(entity, input).some(({ name }) => input[name] !== null)) return true;
  if (entity.fields.some(({ name, isSerialized }) => isSerialized && input[name] !== undefined)) return true;
  if (nestsGroups(entity, input.Members)) return true;
  return input.Id === undefined && givenIdentifiers(entity, input).some(({ unique }) => !unique);
}

function changed({ fields, references }: Entity, before: Partial<Row>, after: Row): Changes {
  const own = fields.filter(({ readOnly, writeOnly }) => !readOnly && !writeOnly);
  const columns = [...own, ...references].map(({ column }) => column);
  return Object.fromEntries(
    columns.filter((column) => !isEqual(before[column], after[column])).map((column) => [column, after[column]]),
  );
}

/** docs/behaviour.md "Write a record": the three rules. An Id finds its record, even a self-made one. */
export async function lockTargets(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  input: EntityInput,
): Promise<Found<Row>> {
  // Rule 1: Id is not empty.
  if (input.Id !== undefined) {
    const id = toRecordId(input.Id);
    const row = id === undefined ? undefined : await rowsOf(entity).find(tx, tenantId, { id }, "for update");
    if (!row) throw new NotFound(`There is no ${entity.name} with the Id ${printable(String(input.Id))}.`);
    return { rows: [row] };
  }
  const identifiers = givenIdentifiers(entity, input);
  // Rule 3: all are empty.
  if (identifiers.length === 0) return { rows: [] };
  // Rule 2: the given ones are the record's unique identifiers.
  const named = await lockByIdentifiers(tx, tenantId, entity, identifiers);
  const rows = named.map(({ row }) => row);
  if (rows.length > 1) return { rows, refusal: pointsAtSeveral(entity, input) };
  const [found] = named;
  if (!found?.isSelfMade) return { rows };
  const matching = identifiers.filter((one) => isSameText(one, one.value, found.row[one.column]));
  const by = matching.map(({ name }) => name);
  return { rows, refusal: new Conflict(selfMadeRecord(entity, by, found.row.id)) };
}

function pointsAtSeveral(entity: Entity, input: EntityInput): BadInput {
  const names = givenIdentifiers(entity, input).map(({ name }) => name);
  const point = names.length > 1 ? "point" : "points";
  return new BadInput(`${names.join(", ")} ${point} at several ${entity.name} records. Give the Id of one.`);
}

/** The identifiers that are not empty. */
export function givenIdentifiers(entity: Entity, input: EntityInput) {
  return entity.fields
    .filter(({ name }) => entity.identifiers.includes(name) && input[name])
    .map(({ name, column, unique, compared }) => ({ name, column, unique, compared, value: String(input[name]) }));
}

/** An identifier in another spelling finds its record. Only with the Id, it changes the spelling. */
function keptSpelling({ fields }: Entity, input: EntityInput, before: Row | undefined): Changes {
  const same = fields.filter((field) => field.compared && isSameText(field, input[field.name], before?.[field.column]));
  return Object.fromEntries(same.map(({ column }) => [column, before?.[column]]));
}

export const attributesFieldOf = (entity: Entity) => entity.fields.find(({ type }) => type === "attributes");

/** Attributes that a body omits stay unchanged, as do members of a list. */
function mergedIn({ fields }: Entity, input: EntityInput, before: Row | undefined): Changes {
  const given = fields.filter(({ name, merge }) => merge && input[name] !== undefined);
  return Object.fromEntries(
    given.map(({ name, column, merge }) => [column, merge!(before?.[column], input[name] as never)]),
  );
}

/** @throws BadInput naming values that contradict the tenant's definitions */
async function refuseWrongAttributes(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  input: EntityInput,
  after: Row,
): Promise<void> {
  const field = attributesFieldOf(entity);
  if (!field || input[field.name] === undefined) return;
  const definitions = await holdUserAttributes(tx, tenantId);
  const sent = input[field.name] as SentAttributes | null;
  const problems = attributeProblems(definitions, sent, after[field.column] as Attributes);
  if (problems.length > 0) throw new BadInput(...problems);
}

/** A verification without a value is rejected. */
function refuseEmptyWord(entity: Entity, after: Row): void {
  const empty = vouching(entity).filter(({ column, text }) => after[column] && !after[text.column]);
  if (empty.length === 0) return;
  throw new BadInput(
    ...empty.map(({ name, text }) => `${name} cannot be true: the ${entity.name} has no ${text.name}.`),
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
  for (const field of entity.fields) {
    const { name, column, unique } = field;
    const value = after[column];
    if (!unique || value === null || isSameText(field, value, before?.[column])) continue;
    const holders = await listRows(tx, tenantId, entity, { filters: { [column]: value } }, 1);
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

/** Callers could not undo it. @throws Conflict if the record is the calling client or its user */
function refuseOwnEnd(
  { clientId, actor }: Pick<Caller, "clientId" | "actor">,
  entity: Entity,
  id: number,
  change: "delete" | "deactivate",
): void {
  const isClient = entity.name === "Application" && String(id) === clientId;
  if (!isClient && (entity.name !== actor.type || id !== actor.id)) return;
  const [itself, other] = isClient
    ? ["the calling client", "a different client"]
    : ["the signed-in user", "a different user"];
  throw new Conflict(
    `${entity.name} ${id} is ${itself}, which cannot ${change} itself. Use ${other} with the same permission.`,
  );
}
