import type { Caller } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { readPaging, toPage } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { toRecordId } from "../http/record-id.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { listRows } from "./store.ts";
import { findMatchable, matchables, parseValue } from "./values.ts";

/**
 * A page of records in the order of their Ids; every other query parameter is a field that must be equal. What no
 * policy lets the caller read is left out, so that a page may have fewer than its Limit.
 * @throws BadInput, ServiceBusy
 */
export async function listRecords(sql: Sql, caller: Caller, entity: Entity, parameters: URLSearchParams) {
  const fields = matchables(entity);
  const query = readQuery(
    parameters,
    fields.map(({ name }) => name),
    (name) => findMatchable(entity, name)?.name,
  );
  const { limit, after } = readPaging(query, (text) => toRecordId(text) !== undefined);
  const filters = fields.flatMap((field) => {
    const text = query.get(field.name);
    return text === undefined ? [] : { column: field.column, value: parseValue(field, text) };
  });
  return caller.permissions.readable("AccessManager:Read", entity.name, async () => {
    const rows = await listRows(sql, caller.tenantId, entity, filters, limit, after);
    return toPage(
      rows,
      limit,
      (row) => String(row.id),
      (row) => toRecord(entity, row),
    );
  });
}
