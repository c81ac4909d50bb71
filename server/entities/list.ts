import type { Caller } from "../access/index.ts";
import type { Queries, Sql } from "../db/connection.ts";
import { readWithin } from "../db/time-limit.ts";
import { ServiceBusy } from "../errors.ts";
import type { Asked, Filters } from "../http/inputs.ts";
import { wantedBy } from "./filters.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { listRows } from "./store.ts";

/** No index helps a Search: it looks at each record until its page is full. */
const SEARCH_MS = 5_000;

/**
 * A page of records in the order of their Ids. `Search` is a part, in any case, of any of the `searchables`; every other
 * filter is a field that must be equal. What no policy lets the caller read is not there.
 * @throws BadInput, ServiceBusy
 */
export async function listRecords(
  sql: Sql,
  caller: Caller,
  entity: Entity,
  { filters: given, paging }: Asked<Filters>,
) {
  const wanted = wantedBy(given);
  const { tenantId, gate } = caller;
  return gate.list({
    type: entity.name,
    paging,
    async read(limit, after) {
      const read = (queries: Queries) => listRows(queries, tenantId, entity, wanted, limit, after);
      const rows = await (wanted.searched === undefined ? read(sql) : readWithin(sql, tenantId, SEARCH_MS, read));
      if (rows === undefined) throw new ServiceBusy(TOO_LONG);
      return rows;
    },
    id: (row) => String(row.id),
    item: (row) => toRecord(entity, row),
  });
}

const TOO_LONG = `The search took more than ${SEARCH_MS / 1_000} s. Narrow it down by a filter, or try again in a moment.`;
