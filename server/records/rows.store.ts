// The SQL of entities, built from their definitions. Values are parameters; names come only from definitions.

import type { PendingQuery, Row as PostgresRow } from "postgres";
import type { Queries } from "../platform/db/sql.ts";
import { takeTurn } from "../platform/db/turns.store.ts";
import { type Abstract, inSnakeCase, type TextComparison } from "../platform/http/fields.ts";
import type { TenantId } from "../platform/ids.ts";
import type { ReferenceKey } from "./reference.ts";
import type { Entity, PointedAt } from "./registry.ts";
import { matches, recordTable } from "./table.store.ts";

/** A record by its columns' keys, and its shown foreign keys by their names. */
export type Row = Record<string, unknown> & { id: number; sequence: number };
export type Changes = Record<string, unknown>;

export interface Narrowed {
  /** By their columns; null: unset, undefined: any. */
  filters: Record<string, unknown>;
  /** Matches a part of the searched text, ignoring case and accents. */
  searched?: string;
  isSelfMade?: boolean | undefined;
  sort?: string | undefined;
}

export function rowsOf(entity: Entity): ReturnType<typeof recordTable<Row>> {
  const table = tables.get(entity) ?? tableOf(entity);
  tables.set(entity, table);
  return table;
}

/** Cached, because it is constant per entity and expensive to build. */
const tables = new WeakMap<Entity, ReturnType<typeof recordTable<Row>>>();

function tableOf({ name, table, fields, references }: Entity) {
  const stored = [...fields, ...references].map((field) => [field.name, field]);
  const shown = references.flatMap(({ name, column, pointsAt, writeOnly }) => {
    const target = `select ${abstractText(pointsAt, "target")} from ${quoted(pointsAt.table)} target`;
    return writeOnly ? [] : [[name, `(${target} where target.id = ${quoted(table, inSnakeCase(column))})`]];
  });
  const stamps = ["id", "createdOn", "modifiedOn"];
  const further = fields.filter(({ readOnly, column }) => readOnly && !stamps.includes(column));
  return recordTable<Row>(
    { name, table, field: Object.fromEntries(stored) },
    {
      more: ["sequence"],
      computed: {
        ...Object.fromEntries(further.map(({ column }) => [column, quoted(inSnakeCase(column))])),
        ...Object.fromEntries(shown),
      },
      sorted: {},
      isStamped: true,
      isRaced: true,
    },
  );
}

/** By default in the order of their ids; one more than the limit, if there are more. */
export function listRows(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  { sort, ...narrowed }: Narrowed,
  limit: number,
  after?: string,
): Promise<Row[]> {
  const condition = narrowing(sql, entity, narrowed);
  return rowsOf(entity).list(sql, tenantId, narrowed.filters, limit, after, { sort, condition });
}

/** A condition of rows, as a statement's part. */
export type Where = (sql: Queries) => PendingQuery<PostgresRow[]>;

/** The rows from a place on, in the order of their ids, and the number of all. */
export async function listRowsAt(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  where: Where | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: Row[]; total: number }> {
  const all = sql`from ${sql(entity.table)} where tenant_id = ${tenantId} and ${where ? where(sql) : sql`true`}`;
  const [counted] = await sql<{ total: number }[]>`select count(*) as total ${all}`;
  const rows = await sql<Row[]>`
    select ${rowsOf(entity).columns(sql)} ${all} order by id offset ${offset} limit ${limit}`;
  return { rows, total: counted!.total };
}

/** Counts the rows of a list, up to `max`. */
export function countRows(sql: Queries, tenantId: TenantId, entity: Entity, narrowed: Narrowed, max: number) {
  return rowsOf(entity).count(sql, tenantId, narrowed.filters, max, { condition: narrowing(sql, entity, narrowed) });
}

const narrowing = (sql: Queries, entity: Entity, { searched, isSelfMade }: Narrowed) => sql`
  ${searched ? holds(sql, searched) : sql``}
  ${isSelfMade === undefined ? sql`` : sql`and ${selfMade(sql, entity)} = ${isSelfMade}`}`;

export interface NamedRow {
  row: Row;
  isSelfMade: boolean;
}

interface Identifier {
  column: string;
  value: string;
  compared?: TextComparison | undefined;
}

/** The rows that any of the identifiers matches, locked in the order of their ids, so callers cannot deadlock. */
export async function lockByIdentifiers(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  identifiers: Identifier[],
): Promise<NamedRow[]> {
  const anyMatch = identifiers
    .map(({ column, value, compared }) => matches(sql, inSnakeCase(column), value, compared))
    .reduce((any, match) => sql`${any} or ${match}`);
  const rows = await sql<(Row & { isSelfMade: boolean })[]>`
    select ${rowsOf(entity).columns(sql)}, ${selfMade(sql, entity)} as "isSelfMade" from ${sql(entity.table)}
    where tenant_id = ${tenantId} and (${anyMatch}) order by id for update`;
  return rows.map(({ isSelfMade, ...row }) => ({ row, isSelfMade }));
}

function selfMade(sql: Queries, { name, table, selfMade }: PointedAt) {
  if (!selfMade) return sql`false`;
  if (!selfMade.listed) return sql`coalesce(created_by_type = ${name} and created_by_id = id, false)`;
  const { listed } = selfMade;
  return sql`exists (select from ${sql(listed.table)} s where s.${sql(listed.key)} = ${sql(table)}.id and s.is_open)`;
}

/** Locks all rows that the ids or the identifiers match, in the order of their ids. */
export async function lockAll(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  ids: number[],
  identifiers: { column: string; values: string[]; compared: TextComparison | undefined }[],
): Promise<void> {
  const anyMatch = identifiers.reduce(
    (any, { column, values, compared }) =>
      compared
        ? sql`${any} or md5(${sql(`${inSnakeCase(column)}_key`)}) = any (array(
            select md5(${sql(compared.sql)}(value)) from unnest(${values}::text[]) as value))`
        : sql`${any} or ${sql(inSnakeCase(column))} = any (${values}::text[])`,
    sql`id = any (${ids}::bigint[])`,
  );
  await sql`
    select from ${sql(entity.table)} where tenant_id = ${tenantId} and (${anyMatch}) order by id for update`;
}

/** Locks an entity of a tenant until the transaction ends, for writers that must not run concurrently. */
export async function lockEntity(sql: Queries, tenantId: TenantId, entity: Entity): Promise<void> {
  await takeTurn(sql, tenantId, entity.table);
}

/** Marks a new row as its own creator. */
export async function claimRow(sql: Queries, tenantId: TenantId, entity: Entity, id: number): Promise<Row> {
  const [row] = await sql<Row[]>`
    update ${sql(entity.table)} set created_by_id = id, modified_by_id = id
    where tenant_id = ${tenantId} and id = ${id} returning ${rowsOf(entity).columns(sql)}`;
  return row!;
}

export async function countReferencing(
  sql: Queries,
  tenantId: TenantId,
  { entity, column }: { entity: Entity; column: string },
  id: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from ${sql(entity.table)} where tenant_id = ${tenantId} and ${sql(inSnakeCase(column))} = ${id}`;
  return row!.count;
}

interface Referenced {
  id: number;
  abstract: Abstract<number | string>;
  isSelfMade: boolean;
}

/** Possible targets of a foreign key in the input, ordered by id. */
export async function findReferenced(
  sql: Queries,
  tenantId: TenantId,
  target: PointedAt,
  key: ReferenceKey,
  value: string | number,
  limit: number,
): Promise<Referenced[]> {
  const field = keyField(target, key);
  if (field === undefined) return [];
  // Self-made ones come last, so that they never fill the limit. An Id may be larger than the column can hold.
  const match = key === "Id" ? sql`id = ${value}::bigint` : matches(sql, inSnakeCase(key), value, field.compared);
  return sql<Referenced[]>`
    select id, ${sql.unsafe(abstractText(target, target.table))} as abstract,
      ${selfMade(sql, target)} as "isSelfMade" from ${sql(target.table)}
    where tenant_id = ${tenantId} and ${match} order by 3, id limit ${limit}`;
}

/** The chain of ids from this one up: its own, that of its column's row, and so on, at most `limit`. */
export async function listChain(
  sql: Queries,
  tenantId: TenantId,
  entity: Entity,
  column: string,
  id: number,
  limit: number,
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with recursive chain (id, level) as (
      select ${id}::bigint, 1
      union all
      select above.${sql(inSnakeCase(column))}::bigint, level + 1
      from chain join ${sql(entity.table)} above on above.tenant_id = ${tenantId} and above.id = chain.id
      where above.${sql(inSnakeCase(column))} is not null and level < ${limit}
    )
    select id from chain order by level`;
  return rows.map((row) => row.id);
}

/** AbstractLong, or AbstractText, of the table's row. */
function abstractText(entity: PointedAt, table: string): string {
  const text = (key: ReferenceKey) => {
    return keyField(entity, key) ? `coalesce(${quoted(table, inSnakeCase(key))}, '')` : "''";
  };
  const id = quoted(table, "id");
  return `json_build_object('Id', ${entity.idAsText ? `${id}::text` : id}, 'ExternalId', ${text("ExternalId")},
    'Name', ${text("Name")}, 'Type', '${entity.name.replaceAll("'", "''")}')`;
}

function quoted(...names: string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(".");
}

/** The field behind a key; the API spells ExternalId in two ways. */
function keyField(entity: PointedAt, key: ReferenceKey) {
  return entity.fields.find(({ name }) => name.replace("_", "") === key);
}

/** The subquery is evaluated once, not for each row. */
function holds(sql: Queries, text: string) {
  return sql`and strpos(search_text, (select search_form(${text}::text))) > 0`;
}
