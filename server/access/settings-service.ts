// Reading and changing policies and roles, which differ in their records alone; REST and the console both go through it.

import type { Queries, Sql } from "../db/connection.ts";
import { NotFound } from "../errors.ts";
import type { Conditions } from "../http/conditions.ts";
import { isUuid, type Paging } from "../http/paging.ts";
import type { TenantId } from "../tenant-id.ts";
import type { Caller, Permitted } from "./bearer.ts";
import type { ShownPage, Tagged, Whole } from "./gate/shown.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";

/** The records of one kind; each asks for a policy that permits it. */
export interface SettingsService<Item extends PolicyRecord, Input> {
  /** A page without what the caller may not read, the newest first. @throws BadInput, ServiceBusy */
  list(caller: Permitted<"Settings:Read">, filter: { name?: string }, paging: Paging): Promise<ShownPage<Item>>;
  /** @throws Permission, NotFound */
  read(caller: Permitted<"Settings:Read">, id: string): Promise<Whole<Item>>;
  /**
   * Updates what Id or Name points at, or makes a new one.
   * @param sent the body that the input was read from
   * @throws Permission, BadInput, NotFound, Conflict, PreconditionFailed
   */
  save(
    caller: Permitted<"Settings:Update">,
    input: Input,
    conditions: Conditions,
    sent: unknown,
  ): Promise<Tagged<Item>>;
  /**
   * @returns its last state, as far as the caller may see it
   * @throws Permission, NotFound, Conflict, PreconditionFailed
   */
  remove(caller: Permitted<"Settings:Update">, id: string, conditions: Conditions): Promise<Tagged<Item>>;
}

export interface SettingsKind<Row extends { id: string }, Item extends PolicyRecord, Input> {
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
  save(caller: Caller, input: Input, conditions: Conditions): Promise<Item>;
  remove(caller: Caller, id: string, conditions: Conditions): Promise<Item>;
}

export function createSettingsService<Row extends { id: string }, Item extends PolicyRecord, Input>(
  sql: Sql,
  { name, list, find, toRecord, save, remove }: SettingsKind<Row, Item, Input>,
): SettingsService<Item, Input> {
  const noSuch = () => new NotFound(`There is no ${name} with this Id.`);
  return {
    async list(caller, filter, paging) {
      return caller.gate.list({
        type: name,
        paging,
        read: (limit, after) => list(sql, caller.tenantId, filter, limit, after),
        id: (row) => row.id,
        item: toRecord,
      });
    },
    async read(caller, id) {
      const row = isUuid(id) ? await find(sql, caller.tenantId, { id }) : undefined;
      if (!row) throw noSuch();
      return caller.gate.show(name, toRecord(row));
    },
    async save(caller, input, conditions, sent) {
      return caller.gate.written(name, await save(caller, input, conditions), sent);
    },
    async remove(caller, id, conditions) {
      if (!isUuid(id)) throw noSuch();
      return caller.gate.written(name, await remove(caller, id, conditions), {});
    },
  };
}
