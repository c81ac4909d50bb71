import type { Caller } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { BadInput } from "../errors.ts";
import { printable } from "../http/body.ts";
import { readPaging, toPage } from "../http/paging.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { type Filter, listRows } from "./store.ts";
import { findMatchable, matchableNames, parseValue, wholeNumber } from "./values.ts";

const PAGING = ["Limit", "Cursor"];

/**
 * A page of records in the order of their Ids; every other query parameter is a field that must be equal. What no
 * policy lets the caller read is left out, so that a page may have fewer than its Limit.
 * @throws BadInput
 */
export async function listRecords(sql: Sql, caller: Caller, entity: Entity, query: URLSearchParams) {
  const { limit, after } = readPaging(query, (text) => wholeNumber(text) !== undefined);
  const filters = readFilters(entity, query);
  const rows = await listRows(sql, caller.tenantId, entity, filters, limit, after);
  const page = toPage(
    rows,
    limit,
    (row) => String(row.id),
    (row) => toRecord(entity, row),
  );
  const allowed = (record: Record<string, unknown>) =>
    caller.permissions.allows("AccessManager:Read", entity.name, record);
  return { ...page, Items: page.Items.filter(allowed) };
}

function readFilters(entity: Entity, query: URLSearchParams): Filter[] {
  const filters = new Map<string, Filter>();
  for (const [name, text] of query) {
    if (PAGING.includes(name)) continue;
    const field = findMatchable(entity, name);
    if (!field) {
      const known = [...PAGING, matchableNames(entity)].join(", ");
      throw new BadInput(`${printable(name)} is no filter. Filters are ${known}.`);
    }
    if (filters.has(field.column)) throw new BadInput(`${field.name} stands in the query twice.`);
    filters.set(field.column, { column: field.column, value: parseValue(field, text) });
  }
  return [...filters.values()];
}
