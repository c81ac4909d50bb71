import { type Queries, readWithin, type Sql } from "../../platform/db/sql.ts";
import { BadInput, MultipleRows, NotFound, ServiceBusy } from "../../platform/errors.ts";
import { printable } from "../../platform/http/body.ts";
import type { Filters, Values } from "../../platform/http/query.ts";
import type { Caller } from "../access/bearer.ts";
import type { Action } from "../access/scopes.ts";
import { wantedBy } from "../filters.ts";
import type { Entity } from "../registry.ts";
import { listRows, type Row, rowsOf } from "../rows.store.ts";
import { findMatchable, type Matchable, matchableNames, parseValue, pathText } from "../values.ts";

type Reader = Pick<Caller, "tenantId" | "gate">;

/**
 * docs/behaviour.md "Read a record": Ids are not secret; by other fields, callers find only readable records.
 * @param id the path's last part, still percent-encoded @param by the field's name; empty: Id
 * @param orFor callers with this permission find it, too @throws BadInput, NotFound, MultipleRows, Permission
 */
export async function findAddressed(
  sql: Sql,
  caller: Reader,
  entity: Entity,
  id: string,
  by: string | undefined,
  orFor?: Action,
) {
  const { tenantId, gate } = caller;
  const field = addressedBy(entity, by);
  const { column } = field;
  const text = pathText(id);
  const value = parseValue(field, text);
  // docs/behaviour.md "Read a record", rule 3.
  const notFound = () => new NotFound(`There is no ${entity.name} whose ${field.name} is ${printable(text)}.`);
  if (column === "id") {
    const row = typeof value === "number" ? await rowsOf(entity).find(sql, tenantId, { id: value }) : undefined;
    if (!row) throw notFound();
    return { row, column, notFound };
  }
  if (!orFor) gate.requireSome(entity.name);
  const list = {
    type: entity.name,
    orFor,
    read: (limit: number, after: string | undefined) =>
      listRows(sql, tenantId, entity, { filters: { [column]: value } }, limit, after),
    id: (row: Row) => String(row.id),
    resource: (row: Row) => entity.toRecord(row),
    item: (row: Row) => row,
  };
  const row = await gate.lookUp(list);
  if (row === "several") {
    throw new MultipleRows(`Several ${entity.name} records have the ${field.name} ${printable(text)}.`);
  }
  if (!row) throw notFound();
  return { row, column, notFound };
}

function addressedBy(entity: Entity, by = ""): Matchable {
  const field = findMatchable(entity, by || "Id");
  if (field) return field;
  throw new BadInput(
    `Name is ${printable(by)}, which is not a field of ${entity.name}. Its fields are ${matchableNames(entity)}.`,
  );
}

/** No index helps a Search: it looks at each record until its page is full. */
export const SEARCH_MS = 5_000;

/** `Search` matches parts, ignoring case and accents; other filters match exactly. @param searchMs its limit for all pages */
export function readerOf(sql: Sql, { tenantId }: Reader, entity: Entity, filters: Values<Filters>, searchMs: number) {
  const wanted = wantedBy(entity, filters);
  let left = searchMs;
  return async (limit: number, after?: string): Promise<Row[]> => {
    const read = (queries: Queries) => listRows(queries, tenantId, entity, wanted, limit, after);
    if (wanted.searched === undefined) return read(sql);
    const began = performance.now();
    const rows = left >= 1 ? await readWithin(sql, tenantId, Math.ceil(left), read) : undefined;
    left -= performance.now() - began;
    if (rows === undefined) throw new ServiceBusy(tookTooLong(searchMs));
    return rows;
  };
}

export const tookTooLong = (limitMs: number) =>
  `The search took more than ${limitMs / 1_000} s. Add a filter, or try again in a moment.`;
