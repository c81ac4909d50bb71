import type { Caller } from "../access/index.ts";
import type { Queries, Sql } from "../db/connection.ts";
import { readWithin } from "../db/time-limit.ts";
import { BadInput, ServiceBusy } from "../errors.ts";
import { readPaging } from "../http/paging.ts";
import { type Query, readQuery, readText } from "../http/query.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { listRows } from "./store.ts";
import { findMatchable, matchables, parseValue } from "./values.ts";

/** Characters of a Search. */
export const SEARCH_LIMIT = 200;
/** No index helps it: it looks at each record until its page is full. */
const SEARCH_MS = 5_000;

/**
 * A page of records in the order of their Ids. `Search` is a part, in any case, of any of the `searchables`; every other
 * query parameter is a field that must be equal. What no policy lets the caller read is not there.
 * @throws BadInput, ServiceBusy
 */
export async function listRecords(sql: Sql, caller: Caller, entity: Entity, parameters: URLSearchParams) {
  const fields = matchables(entity);
  const query = readQuery(
    parameters,
    [SEARCH, ...fields.map(({ name }) => name)],
    (name) => findMatchable(entity, name)?.name ?? (name.toLowerCase() === SEARCH.toLowerCase() ? SEARCH : undefined),
  );
  const paging = readPaging(query);
  const filters = fields.flatMap((field) => {
    const text = query.get(field.name);
    return text === undefined ? [] : { column: field.column, value: parseValue(field, text) };
  });
  const searched = readSearch(query);
  const { tenantId, gate } = caller;
  return gate.list({
    type: entity.name,
    paging,
    async read(limit, after) {
      const read = (queries: Queries) => listRows(queries, tenantId, entity, { filters, searched }, limit, after);
      const rows = await (searched === undefined ? read(sql) : readWithin(sql, tenantId, SEARCH_MS, read));
      if (rows === undefined) throw new ServiceBusy(TOO_LONG);
      return rows;
    },
    id: (row) => String(row.id),
    item: (row) => toRecord(entity, row),
  });
}

const SEARCH = "Search";
const TOO_LONG = `The search took more than ${SEARCH_MS / 1_000} s. Narrow it down by a filter, or try again in a moment.`;

/** @returns undefined if nothing is looked for */
function readSearch(query: Query): string | undefined {
  const text = readText(query, SEARCH) || undefined;
  if (text === undefined) return undefined;
  if (text.length > SEARCH_LIMIT) throw new BadInput(`${SEARCH} must have at most ${SEARCH_LIMIT} characters.`);
  return text;
}
