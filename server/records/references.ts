// Foreign keys of an input, looked up within the tenant.

import type { Queries } from "../platform/db/sql.ts";
import { BadInput } from "../platform/errors.ts";
import { printable } from "../platform/http/body.ts";
import type { Abstract } from "../platform/http/fields.ts";
import type { TenantId } from "../platform/ids.ts";
import type { ReferenceInput } from "./reference.ts";
import { ACTOR_FIELDS, type Entity, type PointedAt } from "./registry.ts";
import { type Changes, findReferenced, listChain, type Row } from "./rows.store.ts";
import { selfMadeTarget } from "./self-made.ts";
import { type EntityInput, givenReferences } from "./values.ts";

/** The maximum number of ancestors by a foreign key to the same entity. */
const MAX_LEVELS = 100;
/** The maximum number of records with the same name among which a visible one is searched. */
const MAX_CANDIDATES = 200;

export interface Resolved {
  columns: Changes;
  /** By the foreign key's name, as in a response. */
  shown: Record<string, Abstract<number | string> | null>;
}

interface Seer {
  tenantId: TenantId;
  /** The records that the caller may read. */
  gate: { seenIds(sql: Queries, type: string, ids: string[]): Promise<ReadonlySet<string>> };
}

/** @throws BadInput */
export async function resolveReferences(
  sql: Queries,
  caller: Seer,
  entity: Entity,
  input: EntityInput,
): Promise<Resolved> {
  const resolved: Resolved = { columns: {}, shown: {} };
  // They must exist, but the server's own values are stored.
  for (const { name } of ACTOR_FIELDS) {
    if (input[name]) await lookUp(sql, caller, name, entity.actors, input[name] as ReferenceInput);
  }
  for (const { name, column, pointsAt } of givenReferences(entity, input)) {
    const target = input[name] as ReferenceInput | null;
    const found = target && (await lookUp(sql, caller, name, [pointsAt], target));
    resolved.columns[column] = found?.id ?? null;
    resolved.shown[name] = found?.abstract ?? null;
  }
  return resolved;
}

/**
 * Only for authorized changes, because the error names both Ids.
 * @param after with the resolved foreign keys @param ownId undefined: it is new @throws BadInput
 */
export async function refuseCycles(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  input: EntityInput,
  after: Row,
  ownId: number | undefined,
): Promise<void> {
  for (const { name, column, pointsAt } of givenReferences(entity, input)) {
    const targetId = after[column] as number | null;
    if (targetId !== null && pointsAt === entity) {
      await refuseCycle(sql, tenantId, entity, { name, column }, targetId, ownId);
    }
  }
}

/** Locks the entity, so that no concurrent change can create a cycle. */
async function refuseCycle(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  { name, column }: { name: string; column: string },
  targetId: number,
  ownId: number | undefined,
): Promise<void> {
  if (targetId === ownId) throw new BadInput(`${name} points at the ${entity.name} itself.`);
  const chain = await listChain(sql, tenantId, entity, column, targetId, MAX_LEVELS + 1);
  if (ownId !== undefined && chain.includes(ownId)) {
    throw new BadInput(`${name} points at ${entity.name} ${targetId}, which is below ${ownId} itself.`);
  }
  if (chain.length > MAX_LEVELS) {
    throw new BadInput(`${name} places the ${entity.name} below more than ${MAX_LEVELS} others.`);
  }
}

/** The foreign key's target, in the first entity that has it. */
async function lookUp(sql: Queries, caller: Seer, name: string, entities: PointedAt[], target: ReferenceInput) {
  const { by, type } = target;
  const candidates = entities.filter((candidate) => type === undefined || candidate.name === type);
  if (candidates.length === 0) {
    const names = entities.map((candidate) => candidate.name).join(" or ");
    throw new BadInput(`${name} points at a ${names}, but its Type is ${printable(type ?? "")}.`);
  }
  let reason = `points at no record (by ${by}).`;
  for (const candidate of candidates) {
    const seen = await findSeen(sql, caller, candidate, target);
    const found = by === "Id" ? seen : seen.filter(({ isSelfMade }) => !isSelfMade);
    if (found.length > 1)
      throw new BadInput(`${name} points at several ${candidate.name} records. Give the Id of one.`);
    if (found[0]) return found[0];
    if (seen[0]) reason = selfMadeTarget(candidate, by, seen[0].id);
  }
  throw new BadInput(`${name} ${reason}`);
}

/** Ids are not secret. By other fields, only readable records are found. */
async function findSeen(sql: Queries, { tenantId, gate }: Seer, target: PointedAt, { by, value }: ReferenceInput) {
  const found = await findReferenced(sql, tenantId, target, by, value, MAX_CANDIDATES);
  if (by === "Id" || found.length === 0) return found;
  const seen = await gate.seenIds(
    sql,
    target.name,
    found.map(({ id }) => String(id)),
  );
  return found.filter(({ id }) => seen.has(String(id)));
}
