// GET of one record, and of a list.

import type { Action, Caller, Whole } from "../access/index.ts";
import { type Queries, readWithin, type Sql } from "../db/sql.ts";
import { BadInput, MultipleRows, NotFound, ServiceBusy } from "../errors.ts";
import { printable } from "../http/body.ts";
import type { Asked, Filters } from "../http/query.ts";
import {
  type Entity,
  findByField,
  findMatchable,
  listRows,
  matchableNames,
  parseValue,
  pathText,
  type Row,
  wantedBy,
} from "../records/index.ts";
import { toRecord } from "./record.ts";

export interface RecordAddress {
  /** The path's last part, still percent-encoded. */
  pathValue: string;
  /** The query parameter Name; empty means Id. */
  fieldName: string;
}

type Reader = Pick<Caller, "tenantId" | "gate">;

/**
 * Finds a record by Id or another field (docs/behaviour.md "Read a record").
 * @throws BadInput, NotFound, MultipleRows, Permission
 */
export async function readRecord(
  sql: Sql,
  caller: Reader,
  entity: Entity,
  address: RecordAddress,
): Promise<Whole<Record<string, unknown>>> {
  const { row } = await findAddressed(sql, caller, entity, address);
  return caller.gate.show(entity.name, toRecord(entity, row), { version: row });
}

/**
 * The row that a path names. Ids are not secret, so their existence is revealed. By other fields, callers find only
 * readable records.
 * @param orFor callers with this permission find it, too
 * @throws BadInput, NotFound, MultipleRows, Permission
 */
export async function findAddressed(sql: Sql, caller: Reader, entity: Entity, address: RecordAddress, orFor?: Action) {
  const { tenantId, gate } = caller;
  const { field, text, value } = resolveAddress(entity, address);
  const { column } = field;
  // docs/behaviour.md "Read a record", rule 3.
  const noneThere = () => new NotFound(`There is no ${entity.name} whose ${field.name} is ${printable(text)}.`);
  if (column === "id") {
    const [row] = await findByField(sql, tenantId, entity, column, value);
    if (!row) throw noneThere();
    return { row, column, noneThere };
  }
  if (!orFor) gate.requireSome(entity.name);
  const list = {
    type: entity.name,
    orFor,
    read: (limit: number, after: string | undefined) =>
      listRows(sql, tenantId, entity, { filters: [{ column, value }] }, limit, after),
    id: (row: Row) => String(row.id),
    resource: (row: Row) => toRecord(entity, row),
    item: (row: Row) => row,
  };
  const row = await gate.lookUp(list);
  if (row === "several") {
    throw new MultipleRows(`Several ${entity.name} records have the ${field.name} ${printable(text)}.`);
  }
  if (!row) throw noneThere();
  return { row, column, noneThere };
}

/** @throws BadInput: unlike in a body (docs/behaviour.md "Write a record"), an Id that is no number is here no Id */
function resolveAddress(entity: Entity, { pathValue, fieldName }: RecordAddress) {
  const field = findMatchable(entity, fieldName === "" ? "Id" : fieldName);
  if (!field) {
    throw new BadInput(
      `Name is ${printable(fieldName)}, which is not a field of ${entity.name}. Its fields are ${matchableNames(entity)}.`,
    );
  }
  const text = pathText(pathValue);
  return { field, text, value: parseValue(field, text) };
}

/** No index helps a Search: it looks at each record until its page is full. */
export const SEARCH_MS = 5_000;

/**
 * A page of readable records, ordered by Id. `Search` matches a part of any of the `searchables`, ignoring case; other
 * filters match exactly.
 * @param searchMs time limit of the Search for the whole page
 * @throws BadInput, ServiceBusy
 */
export async function listRecords(
  sql: Sql,
  caller: Caller,
  entity: Entity,
  { filters: given, paging }: Asked<Filters>,
  searchMs: number,
) {
  const wanted = wantedBy(given);
  let left = searchMs;
  const search = async (read: (queries: Queries) => Promise<Row[]>) => {
    const began = performance.now();
    const rows = left >= 1 ? await readWithin(sql, tenantId, Math.ceil(left), read) : undefined;
    left -= performance.now() - began;
    if (rows === undefined) throw new ServiceBusy(tookTooLong(searchMs));
    return rows;
  };
  const { tenantId, gate } = caller;
  return gate.list({
    type: entity.name,
    paging,
    read(limit, after) {
      const read = (queries: Queries) => listRows(queries, tenantId, entity, wanted, limit, after);
      return wanted.searched === undefined ? read(sql) : search(read);
    },
    id: (row) => String(row.id),
    item: (row) => toRecord(entity, row),
  });
}

const tookTooLong = (limitMs: number) =>
  `The search took more than ${limitMs / 1_000} s. Add a filter, or try again in a moment.`;
