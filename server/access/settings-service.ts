// Reading and changing policies and roles, which differ in their records alone; REST and the console both go through it.

import type { Queries, Sql } from "../db/connection.ts";
import { NotFound } from "../errors.ts";
import type { Conditions } from "../http/conditions.ts";
import { isUuid, readPaging } from "../http/paging.ts";
import { readQuery, readText } from "../http/query.ts";
import type { TenantId } from "../tenant-id.ts";
import { type Caller, requireScopes } from "./bearer.ts";
import type { ShownPage, Tagged, Whole } from "./gate/shown.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";

/** The records of one kind; each asks for the scope and for a policy that permits it. */
export interface SettingsService<Item extends PolicyRecord> {
  /**
   * A page without what the caller may not read, the newest first.
   * @param parameters Name, Limit, Cursor
   * @throws Permission, BadInput, ServiceBusy
   */
  list(caller: Caller, parameters: URLSearchParams): Promise<ShownPage<Item>>;
  /** @throws Permission, NotFound */
  read(caller: Caller, id: string): Promise<Whole<Item>>;
  /** What `save` asks first, for who has to read a body before. @throws Permission */
  requireWrite(caller: Caller): void;
  /**
   * Updates what Id or Name points at, or makes a new one.
   * @param body in the API's shape
   * @throws Permission, BadInput, NotFound, Conflict, PreconditionFailed
   */
  save(caller: Caller, body: unknown, conditions: Conditions): Promise<Tagged<Item>>;
  /**
   * @returns its last state, as far as the caller may see it
   * @throws Permission, NotFound, Conflict, PreconditionFailed
   */
  remove(caller: Caller, id: string, conditions: Conditions): Promise<Tagged<Item>>;
}

export interface SettingsKind<Row extends { id: string }, Item extends PolicyRecord> {
  name: "Policy" | "Role";
  /** One more than the limit, if there are more. */
  list(
    sql: Queries,
    tenantId: TenantId,
    filter: { name?: string },
    limit: number,
    after: string | undefined,
  ): Promise<Row[]>;
  find(sql: Queries, tenantId: TenantId, key: { id: string }): Promise<Row | undefined>;
  toRecord(row: Row): Item;
  save(caller: Caller, body: unknown, conditions: Conditions): Promise<Item>;
  remove(caller: Caller, id: string, conditions: Conditions): Promise<Item>;
}

export function createSettingsService<Row extends { id: string }, Item extends PolicyRecord>(
  sql: Sql,
  { name, list, find, toRecord, save, remove }: SettingsKind<Row, Item>,
): SettingsService<Item> {
  const noSuch = () => new NotFound(`There is no ${name} with this Id.`);
  const requireWrite = (caller: Caller) => requireScopes(caller, "Settings:Update");
  return {
    requireWrite,
    async list(caller, parameters) {
      requireScopes(caller, "Settings:Read");
      const query = readQuery(parameters, ["Name"]);
      const paging = readPaging(query);
      const filter = { name: readText(query, "Name") };
      return caller.gate.list({
        type: name,
        paging,
        read: (limit, after) => list(sql, caller.tenantId, filter, limit, after),
        id: (row) => row.id,
        item: toRecord,
      });
    },
    async read(caller, id) {
      requireScopes(caller, "Settings:Read");
      const row = isUuid(id) ? await find(sql, caller.tenantId, { id }) : undefined;
      if (!row) throw noSuch();
      return caller.gate.show(name, toRecord(row));
    },
    async save(caller, body, conditions) {
      requireWrite(caller);
      return caller.gate.written(name, await save(caller, body, conditions), body);
    },
    async remove(caller, id, conditions) {
      requireScopes(caller, "Settings:Update");
      if (!isUuid(id)) throw noSuch();
      return caller.gate.written(name, await remove(caller, id, conditions), {});
    },
  };
}
