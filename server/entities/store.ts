// The SQL of every entity, built from its definition. Values are always parameters; names come from definitions alone.

import type { Queries } from "../db/connection.ts";
import type { TenantId } from "../tenants/index.ts";
import type { EntityDefinition, Field } from "./definition.ts";

/** A record as its columns hold it; `CreatedBy` and `ModifiedBy` already in SPEC.md's shape. */
export type Row = Record<string, unknown> & { id: number };
/** Columns and their new values. */
export type Changes = Record<string, unknown>;

export interface Actor {
  type: "Application" | "User";
  id: number;
}

function columns(sql: Queries, entity: EntityDefinition) {
  const own = [...entity.fields, ...entity.references].map((field) => field.column).filter(Boolean);
  return sql`${sql(own)}, actor_reference(created_by_type, created_by_id) as "CreatedBy",
    actor_reference(modified_by_type, modified_by_id) as "ModifiedBy"`;
}

/** At most two rows: the second only tells that there is more than one. */
export async function findByField(
  sql: Queries,
  tenantId: TenantId,
  entity: EntityDefinition,
  field: Field,
  value: unknown,
): Promise<Row[]> {
  return sql<Row[]>`
    select ${columns(sql, entity)} from ${sql(entity.table)}
    where tenant_id = ${tenantId} and ${sql(field.column)} = ${value as string} order by id limit 2`;
}

export async function lockById(sql: Queries, tenantId: TenantId, entity: EntityDefinition, id: number) {
  const [row] = await sql<Row[]>`
    select ${columns(sql, entity)} from ${sql(entity.table)}
    where tenant_id = ${tenantId} and id = ${id}::bigint for update`;
  return row;
}

/**
 * Who sets a foreign key locks two rows, its own and the one it points at, and no order of ids suits both: within a
 * tenant such callers take turns.
 */
export async function waitForTurn(sql: Queries, tenantId: TenantId, entity: EntityDefinition): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${entity.table} ${tenantId}`}, 0))`;
}

/** The rows that any of the identifiers points at, locked in the order of their ids, so that callers cannot deadlock. */
export async function lockByIdentifiers(
  sql: Queries,
  tenantId: TenantId,
  entity: EntityDefinition,
  identifiers: { column: string; value: string }[],
): Promise<Row[]> {
  const matches = identifiers
    .map(({ column, value }) => sql`${sql(column)} = ${value}`)
    .reduce((any, match) => sql`${any} or ${match}`);
  return sql<Row[]>`
    select ${columns(sql, entity)} from ${sql(entity.table)}
    where tenant_id = ${tenantId} and (${matches}) order by id for update`;
}

/** @returns undefined if a unique value is held by another row */
export async function insertRow(
  sql: Queries,
  tenantId: TenantId,
  entity: EntityDefinition,
  changes: Changes,
  actor: Actor,
): Promise<Row | undefined> {
  const values = { ...changes, tenant_id: tenantId, ...by("created", actor), ...by("modified", actor) };
  const [row] = await sql<Row[]>`
    insert into ${sql(entity.table)} ${sql(values as Record<string, string>)}
    on conflict do nothing returning ${columns(sql, entity)}`;
  return row;
}

export async function updateRow(
  sql: Queries,
  tenantId: TenantId,
  entity: EntityDefinition,
  id: number,
  changes: Changes,
  actor: Actor,
): Promise<Row> {
  const values = { ...changes, ...by("modified", actor) };
  const [row] = await sql<Row[]>`
    update ${sql(entity.table)} set ${sql(values as Record<string, string>)}
    where tenant_id = ${tenantId} and id = ${id} returning ${columns(sql, entity)}`;
  return row!;
}

/** The ids, at most two, of what a reference points at. */
export async function findReferenced(
  sql: Queries,
  tenantId: TenantId,
  table: "applications" | "users",
  column: "id" | "external_id" | "name",
  value: string | number,
): Promise<number[]> {
  // An Id may be larger than the column can hold.
  const match = column === "id" ? sql`id = ${value}::bigint` : sql`${sql(column)} = ${value}`;
  const rows = await sql<{ id: number }[]>`
    select id from ${sql(table)} where tenant_id = ${tenantId} and ${match} order by id limit 2`;
  return rows.map((row) => row.id);
}

function by(moment: "created" | "modified", actor: Actor) {
  return {
    [`${moment}_by_type`]: actor.type,
    [`${moment}_by_id`]: actor.id,
    [`${moment}_on`]: new Date(),
  };
}
