import type { Caller } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { BadInput } from "../errors.ts";
import { readPaging, toPage } from "../http/paging.ts";
import { type Query, readQuery, readText } from "../http/query.ts";
import { toRecordId } from "../http/record-id.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { listRows } from "./store.ts";
import { findMatchable, matchables, parseValue } from "./values.ts";

/** Characters of a Search. */
export const SEARCH_LIMIT = 200;

/**
 * A page of records in the order of their Ids. `Search` is a part, in any case, of any of the `searchables`; every other
 * query parameter is a field that must be equal. What no policy lets the caller read is left out, so that a page may
 * have fewer than its Limit.
 * @throws BadInput, ServiceBusy
 */
export async function listRecords(sql: Sql, caller: Caller, entity: Entity, parameters: URLSearchParams) {
  const fields = matchables(entity);
  const query = readQuery(
    parameters,
    [SEARCH, ...fields.map(({ name }) => name)],
    (name) => findMatchable(entity, name)?.name ?? (name.toLowerCase() === SEARCH.toLowerCase() ? SEARCH : undefined),
  );
  const { limit, after } = readPaging(query, (text) => toRecordId(text) !== undefined);
  const filters = fields.flatMap((field) => {
    const text = query.get(field.name);
    return text === undefined ? [] : { column: field.column, value: parseValue(field, text) };
  });
  const searched = readSearch(query);
  return caller.permissions.readable("AccessManager:Read", entity.name, async () => {
    const rows = await listRows(sql, caller.tenantId, entity, { filters, searched }, limit, after);
    return toPage(
      rows,
      limit,
      (row) => String(row.id),
      (row) => toRecord(entity, row),
    );
  });
}

const SEARCH = "Search";

/** @returns undefined if nothing is looked for */
function readSearch(query: Query): string | undefined {
  const text = readText(query, SEARCH) || undefined;
  if (text === undefined) return undefined;
  if (text.length > SEARCH_LIMIT) throw new BadInput(`${SEARCH} must have at most ${SEARCH_LIMIT} characters.`);
  return text;
}
