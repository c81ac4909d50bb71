// The SQL of a table of records, built from its column names. Values are parameters; names come from declarations.

import type { Queries } from "../platform/db/sql.ts";
import {
  type Fields,
  inSnakeCase,
  keyOf,
  type LogRow,
  type ReferenceList,
  type TextComparison,
} from "../platform/http/fields.ts";
import { isUuid as isUuidText, toRecordId } from "../platform/http/query.ts";
import type { TenantId } from "../platform/ids.ts";
import { memberColumn } from "./fields.ts";
import type { Declaration } from "./record.ts";
import { keyOf as keyOfMember, type Member } from "./reference-list.ts";

/** The caller named in created_by and modified_by. */
interface Author {
  type: string;
  id: number;
}

interface TableOptions<Row> {
  /** The column of the tenant; default: tenant_id. */
  owner?: string;
  /** Columns without a field. */
  more?: readonly (keyof Row & string)[];
  renamed?: Partial<Record<keyof Row & string, string>>;
  /** Expressions that are read with a row, by their names in it. */
  computed?: Readonly<Record<string, string>>;
  /** Columns with different forms for writing and reading. */
  written?(sql: Queries, tenantId: TenantId, row: Partial<Row>): Record<string, unknown>;
  /** A condition of all rows that are read, such as `deleted_on is null`. */
  only?: string;
  /** Whether it has created_on, created_by_type, created_by_id, and the same of modified; default: with CreatedOn. */
  isStamped?: boolean;
  /** Inserts are not serialized, so an insert yields to a concurrent one with the same unique value. */
  isRaced?: boolean;
  /** The texts that a Search finds, by their fields' names; default: Name and Description. */
  searched?: Readonly<Record<string, string>>;
  /** Texts that a list can be sorted by, beside Id: the tenant has few rows, or an index has them. Default: Name. */
  sorted?: Readonly<Record<string, string>>;
}

const BY_NAME: Readonly<Record<string, string>> = { Name: "search_form(name)" };

/** The parts of a list beyond equal values. */
export interface Arranged {
  searched?: string | undefined;
  /** The name of `sorted`, or Id; with a minus: descending. */
  sort?: string | undefined;
  condition?: Condition;
}

export type RowFilter<Row> = { [Column in keyof Row]?: unknown };

type Condition = ReturnType<Queries["unsafe"]> | ReturnType<typeof nothing>;
const nothing = (sql: Queries) => sql``;

const STAMPS = `created_on as "createdOn", actor_reference(created_by_type, created_by_id) as "createdBy",
  modified_on as "modifiedOn", actor_reference(modified_by_type, modified_by_id) as "modifiedBy"`;

/** By PostgreSQL's clock, which all processes share; constant within a statement. */
const by = (sql: Queries, change: "created" | "modified", author: Author | undefined) => ({
  [`${change}_on`]: sql`statement_timestamp()`,
  [`${change}_by_type`]: author?.type ?? null,
  [`${change}_by_id`]: author?.id ?? null,
});

/** Whether a column has a value, as its field compares them. */
export function matches(sql: Queries, column: string, value: unknown, compared: TextComparison | undefined) {
  if (!compared) return sql`${sql(column)} = ${value as string}`;
  const [key, wanted] = [sql(`${column}_key`), sql`${sql(compared.sql)}(${value as string}::text)`];
  return sql`(md5(${key}) = md5(${wanted}) and ${key} = ${wanted})`;
}

/** The fields with a column, by their names in a row. */
export function storedFields({ field }: Pick<Declaration, "field">) {
  return Object.entries(field)
    .filter(([key, { sent, readOnly, stored }]) => key !== "Id" && sent && !readOnly && stored !== "elsewhere")
    .map(([name, field]) => {
      const key = keyOf(name, field);
      return { name: key, column: inSnakeCase(key), isJson: field.stored === "json" };
    });
}

/** Columns' names are in camel case. Unless `id` is a UUID, PostgreSQL assigns it, and lists begin with the lowest. */
export function recordTable<Row extends { id: string | number }>(
  { name, table, field: fields }: Pick<Declaration, "name" | "table" | "field">,
  options: TableOptions<Row> = {},
) {
  const { owner = "tenant_id", more = [], renamed = {}, computed = {}, written, only = "true", isRaced } = options;
  const stored = storedFields({ field: fields });
  const lists = Object.entries(fields).flatMap(([key, one]) =>
    one.list ? listTable(keyOf(key, one), name, one.list) : [],
  );
  const names = [...stored.map(({ name }) => name), ...more] as (keyof Row & string)[];
  const json = stored.filter(({ isJson }) => isJson).map(({ name }) => name);
  const comparisons = new Map(Object.entries(fields).map(([name, one]) => [keyOf(name, one), one.compared]));
  const isUuid = !fields.Id || fields.Id.shown!.format === "uuid";
  const idType = isUuid ? "uuid" : "bigint";
  const { isStamped = "CreatedOn" in fields, sorted = BY_NAME } = options;
  const known = ["Name", "Description"]
    .filter((name) => name in fields)
    .map((name) => [name, inSnakeCase(keyOf(name, fields[name]!))]);
  const standard = isUuid ? "-Id" : "Id";
  const searched: Readonly<Record<string, string>> = { ...Object.fromEntries(known), ...options.searched };
  const columnOf = (name: string) => (renamed as Record<string, string>)[name] ?? inSnakeCase(name);
  const text = [
    ...["id", ...names].map((name) => `${table}.${columnOf(name)} as "${name}"`),
    ...Object.entries(computed).map(([name, expression]) => `${expression} as "${name}"`),
    ...lists.map((list) => `${list.members(`${table}.id`)} as "${list.name}"`),
    ...(isStamped ? [STAMPS] : []),
  ].join(", ");
  const columns = (sql: Queries) => sql.unsafe(text);
  const where = (sql: Queries, tenantId: TenantId) => sql`${sql(owner)} = ${tenantId} and ${sql.unsafe(only)}`;
  const cast = `::${idType}`;
  /** null or "": unset; undefined: any. */
  const equal = (sql: Queries, wanted: RowFilter<Row>) =>
    Object.entries(wanted)
      .filter(([, value]) => value !== undefined)
      .reduce((all, [name, value]) => {
        const column = columnOf(name);
        const isUnset = value === null || value === "";
        if (isUnset) return sql`${all} and ${sql(column)} is null`;
        return sql`${all} and ${matches(sql, column, value, comparisons.get(name))}`;
      }, nothing(sql));

  function valuesOf(sql: Queries, tenantId: TenantId, row: Partial<Row>, stamps: Record<string, unknown>) {
    const given = names.filter((name) => row[name] !== undefined);
    const plain = given.map((name) => [columnOf(name), json.includes(name) ? sql.json(row[name] as never) : row[name]]);
    const values = { ...Object.fromEntries(plain), ...written?.(sql, tenantId, row), ...(isStamped && stamps) };
    return values as Record<string, string>;
  }

  async function find(
    sql: Queries,
    tenantId: TenantId,
    key: { id: Row["id"] } | { name: string },
    lock?: "for update" | "for no key update",
  ): Promise<Row | undefined> {
    const match = "id" in key ? sql`id = ${key.id as string}${sql.unsafe(cast)}` : sql`name = ${key.name}`;
    const [row] = await sql<Row[]>`
      select ${columns(sql)} from ${sql(table)} where ${where(sql, tenantId)} and ${match} ${sql.unsafe(lock ?? "")}`;
    return row;
  }

  /** The row with its lists. Only members that differ are written. */
  async function withLists(sql: Queries, tenantId: TenantId, saved: Row, row: Partial<Row>, before: Partial<Row> = {}) {
    const membersOf = (of: Partial<Row>, name: string) => (of as Record<string, Member[] | undefined>)[name] ?? [];
    let isSame = true;
    for (const { name, write } of lists) {
      if (!(name in row) || Bun.deepEquals(membersOf(row, name), membersOf(before, name))) continue;
      await write(sql, tenantId, saved.id, membersOf(before, name), membersOf(row, name));
      isSame = false;
    }
    return isSame ? saved : (await find(sql, tenantId, saved))!;
  }

  /** The rows that a list has, on all its pages. */
  const wantedRows = (sql: Queries, tenantId: TenantId, wanted: RowFilter<Row>, asked: Arranged) => sql`
    ${where(sql, tenantId)} ${equal(sql, wanted)} ${asked.condition ?? sql``}
    ${asked.searched ? holds(sql, Object.values(searched), asked.searched) : sql``}`;

  return {
    names,
    columns,
    searched: Object.keys(searched),
    /** The first is the default. */
    sorts: [standard, isUuid ? "Id" : "-Id", ...Object.keys(sorted).flatMap((name) => [name, `-${name}`])],
    find,
    /** @returns undefined for a text that is no Id */
    toId: (text: string) =>
      (isUuid ? (isUuidText(text) ? text : undefined) : toRecordId(text)) as Row["id"] | undefined,
    /** The rows that satisfy a condition, in the order of their Ids. */
    async findWhere(sql: Queries, tenantId: TenantId, condition: Condition, lock?: "for update"): Promise<Row[]> {
      return sql<Row[]>`
        select ${columns(sql)} from ${sql(table)}
        where ${where(sql, tenantId)} and (${condition}) order by id ${sql.unsafe(lock ?? "")}`;
    },
    async findAll(sql: Queries, tenantId: TenantId, ids: readonly Row["id"][]): Promise<Row[]> {
      return sql<Row[]>`
        select ${columns(sql)} from ${sql(table)}
        where ${where(sql, tenantId)} and id = any (${[...ids] as string[]}${sql.unsafe(`${cast}[]`)})`;
    },
    /** Default: newest or lowest first; one more than the limit, if there are more. @param after a row's `positionOf` */
    async list(
      sql: Queries,
      tenantId: TenantId,
      wanted: RowFilter<Row>,
      limit: number,
      after: string | undefined,
      asked: Arranged = {},
    ): Promise<Row[]> {
      const { sort = standard } = asked;
      const [further, order] = sort.startsWith("-") ? ["<", "desc"] : [">", "asc"];
      const by = sorted[sort.replace("-", "")];
      const [id, ...text] = after?.split(" ") ?? [];
      const position = by ? sql`(${sql.unsafe(by)}, id)` : sql`id`;
      const from = by ? sql`(${text.join(" ")}, ${id!}${sql.unsafe(cast)})` : sql`${id!}${sql.unsafe(cast)}`;
      return sql<Row[]>`
        select ${columns(sql)} ${by ? sql`, ${sql.unsafe(by)} as ${sql(SORTED)}` : sql``} from ${sql(table)}
        where ${wantedRows(sql, tenantId, wanted, asked)}
          ${after ? sql`and ${position} ${sql.unsafe(further!)} ${from}` : sql``}
        order by ${by ? sql`${sql.unsafe(`${by} ${order}`)},` : sql``} id ${sql.unsafe(order!)} limit ${limit + 1}`;
    },
    /** Counts the rows of a list, up to `max`. */
    async count(sql: Queries, tenantId: TenantId, wanted: RowFilter<Row>, max: number, asked: Arranged = {}) {
      const [row] = await sql<{ count: number }[]>`
        select count(*) as count from (
          select from ${sql(table)} where ${wantedRows(sql, tenantId, wanted, asked)} limit ${max}) counted`;
      return row!.count;
    },
    /** @returns undefined if a concurrent insert has the same name */
    async insert(sql: Queries, tenantId: TenantId, row: Partial<Row>, author?: Author): Promise<Row | undefined> {
      const id = row.id || (isUuid ? Bun.randomUUIDv7() : undefined);
      const stamps = { ...by(sql, "created", author), ...by(sql, "modified", author) };
      const values = { ...(id && { id }), tenant_id: tenantId, ...valuesOf(sql, tenantId, row, stamps) };
      const [inserted] = await sql<Row[]>`
        insert into ${sql(table)} ${sql(values as Record<string, string>)}
        ${sql.unsafe(isRaced ? "on conflict do nothing" : "")} returning ${columns(sql)}`;
      return inserted && withLists(sql, tenantId, inserted, row);
    },
    /** @param before needed for a kind with a list of references */
    async update(
      sql: Queries,
      tenantId: TenantId,
      row: Partial<Row>,
      author?: Author,
      before?: Partial<Row>,
    ): Promise<Row> {
      const stamps = by(sql, "modified", author);
      const [updated] = await sql<Row[]>`
        update ${sql(table)} set ${sql(valuesOf(sql, tenantId, row, stamps))}
        where ${sql(owner)} = ${tenantId} and id = ${row.id as string} returning ${columns(sql)}`;
      return withLists(sql, tenantId, updated!, row, before);
    },
    async remove(sql: Queries, tenantId: TenantId, id: Row["id"]): Promise<void> {
      await sql`delete from ${sql(table)} where tenant_id = ${tenantId} and id = ${id as string}`;
    },
  };
}

/** The text that a row was sorted by, beside its columns. */
const SORTED = "sortedBy";

/** The place of a row in its list. */
export function positionOf(id: string, row: object): string {
  const { [SORTED]: text } = row as { [SORTED]?: string };
  return text === undefined ? id : `${id} ${text}`;
}

/** The subquery is evaluated once, not for each row. */
function holds(sql: Queries, texts: readonly string[], text: string) {
  const all = sql.unsafe(`search_form(concat_ws(chr(31), ${texts.join(", ")}))`);
  return sql`and strpos(${all}, (select search_form(${text}::text))) > 0`;
}

/** The table of a list of references. */
function listTable(name: string, owner: string, { of, through }: ReferenceList) {
  const kinds = of.map((type) => ({ type, column: memberColumn(owner, type), table: `${inSnakeCase(type)}s` }));
  const ids = kinds.map(({ column }) => `m.${column}`).join(", ");
  const types = kinds.map(({ type, column }) => `when m.${column} is not null then '${type}'`).join(" ");
  const key = `${inSnakeCase(owner)}_id`;
  return {
    name,
    members: (id: string) => `coalesce((
      select json_agg(json_build_object('Type', case ${types} end, 'Id', coalesce(${ids})) order by ${ids})
      from ${through} m where m.${key} = ${id}), '[]')`,
    /** Leaves out members that are no records of the tenant. */
    async write(sql: Queries, tenantId: TenantId, id: string | number, before: Member[], after: Member[]) {
      const [known, wanted] = [before, after].map((members) => new Set(members.map(keyOfMember)));
      for (const { type, column, table } of kinds) {
        const idsOf = (members: Member[], others: Set<string>) =>
          members.filter((one) => one.Type === type && !others.has(keyOfMember(one))).map(({ Id }) => Id);
        const [gone, added] = [idsOf(before, wanted!), idsOf(after, known!)];
        if (gone.length > 0) {
          await sql`
            delete from ${sql(through)}
            where tenant_id = ${tenantId} and ${sql(key)} = ${id} and ${sql(column)} = any (${gone}::bigint[])`;
        }
        if (added.length > 0) {
          await sql`
            insert into ${sql(through)} (tenant_id, ${sql(key)}, ${sql(column)})
            select ${tenantId}, ${id}, id from ${sql(table)}
            where tenant_id = ${tenantId} and id = any (${added}::bigint[])`;
        }
      }
    },
  };
}

export interface LogTable<Row, Wanted> {
  columns(sql: Queries): Condition;
  find(sql: Queries, tenantId: TenantId, id: string): Promise<Row | undefined>;
  /** Newest first; one more than the limit, if there are more. */
  list(sql: Queries, tenantId: TenantId, wanted: Wanted, limit: number, after: string | undefined): Promise<Row[]>;
}

interface LogColumns<Wanted, More> {
  /** The conditions of a list's filters. */
  matching?(sql: Queries, wanted: Wanted): Condition;
  /** Values of a row without a field; null: it is the column of this name. */
  more?: { [Key in keyof More]: ((sql: Queries) => Condition) | null };
}

/** The table of a kind that is only read, with UUIDv7 as Ids. */
export function logTable<F extends Fields, Wanted = object, More extends object = object>(
  { table, field }: Pick<Declaration<F>, "table" | "field">,
  { matching = nothing, more = {} as never }: LogColumns<Wanted, More>,
): LogTable<LogRow<F> & More, Wanted> {
  type Row = LogRow<F> & More;
  const stored = Object.entries(field).filter(([, one]) => one.stored !== "elsewhere");
  const others = Object.entries<((sql: Queries) => Condition) | null>(more);
  const keys = [
    ...stored.map(([name, one]) => keyOf(name, one)),
    ...others.flatMap(([key, made]) => (made ? [] : key)),
  ];
  const plain = keys.map((key) => `${inSnakeCase(key)} as "${key}"`).join(", ");
  const columns = (sql: Queries) =>
    others.reduce<Condition>(
      (before, [key, made]) => (made ? sql`${before}, ${made(sql)} as ${sql(key)}` : before),
      sql.unsafe(plain),
    );
  return {
    columns,
    async find(sql, tenantId, id) {
      const [row] = await sql<Row[]>`
        select ${columns(sql)} from ${sql(table)} where tenant_id = ${tenantId} and id = ${id}`;
      return row;
    },
    list: async (sql, tenantId, wanted, limit, after) => sql<Row[]>`
      select ${columns(sql)} from ${sql(table)}
      where tenant_id = ${tenantId} ${matching(sql, wanted)} ${after ? sql`and id < ${after}` : sql``}
      order by id desc limit ${limit + 1}`,
  };
}
