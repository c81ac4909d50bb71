// A kind whose records are only read: its list, newest first, and one record by its Id.

import type { Sql } from "../../platform/db/sql.ts";
import { NotFound } from "../../platform/errors.ts";
import type { Fields, RecordOf } from "../../platform/http/fields.ts";
import { type Filters, isUuid, type Paging, uuidParameter, type Values } from "../../platform/http/query.ts";
import type { Route, Tag } from "../../platform/http/route.ts";
import type { Declaration, RecordScopes } from "../record.ts";
import type { LogTable } from "../table.store.ts";
import type { Permitted } from "./bearer.ts";
import type { Shown, ShownPage } from "./gate/shown.ts";
import { route } from "./route.ts";
import type { Scope } from "./scopes.ts";

export interface Log<S extends Scope, Item, Q extends Filters, Wanted = Partial<Values<Q>>> {
  filters: Q;
  /** A page of readable records. @throws BadInput, ServiceBusy */
  list(caller: Permitted<S>, wanted: Wanted, paging: Paging): Promise<ShownPage<Item>>;
  /** @throws Permission, NotFound */
  read(caller: Permitted<S>, id: string): Promise<Shown<Item>>;
}

type Reading<S extends RecordScopes> = Extract<S["read"], Scope>;

/** @param item default: the record of a row's own values */
export function createLog<
  F extends Fields,
  S extends RecordScopes,
  Row extends { id: string },
  Q extends Filters,
  Wanted,
>(
  sql: Sql,
  { name: type, toRecord }: Declaration<F, S>,
  table: Pick<LogTable<Row, Wanted>, "find" | "list">,
  filters: Q,
  item: (row: Row) => RecordOf<F> = (row) => toRecord(row),
): Log<Reading<S>, RecordOf<F>, Q, Wanted> {
  return {
    filters,
    list: ({ tenantId, gate }, wanted, paging) =>
      gate.list({
        type,
        paging,
        read: (limit, after) => table.list(sql, tenantId, wanted, limit, after),
        id: ({ id }) => id,
        item,
      }),
    async read({ tenantId, gate }, id) {
      const row = isUuid(id) ? await table.find(sql, tenantId, id) : undefined;
      if (!row) throw new NotFound(`There is no ${type} with this Id.`);
      return (await gate.show(type, item(row))).record;
    },
  };
}

interface LogTexts {
  /** Default: its own group of operations. */
  tag?: Tag;
  list: { summary: string; description: string };
  read: { summary: string };
}

export function logRoutes<F extends Fields, S extends RecordScopes, Q extends Filters>(
  { name, nouns: [noun, several], texts, record: schema, example, ...kind }: Declaration<F, S>,
  log: Log<Reading<S>, RecordOf<F>, Q, Values<Q>>,
  { tag = { name, description: texts.group }, list, read }: LogTexts,
): Route[] {
  const scopes = [kind.scopes.read as Reading<S>];
  const shared = { method: "GET" as const, tag, scopes };
  return [
    route({
      ...shared,
      ...list,
      path: `/${name}`,
      id: `list${name}`,
      paged: true,
      filters: log.filters,
      answer: { description: `A page of ${several}.`, schema, example, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, asked) => log.list(caller, asked.filters, asked.paging),
    }),
    route({
      ...shared,
      ...read,
      path: `/${name}/{Id}`,
      id: `get${name}`,
      params: { Id: uuidParameter(`The ${noun}'s Id.`, name) },
      answer: { description: `The ${noun}.`, schema, example },
      handle: (caller, { params }) => log.read(caller, params.Id),
    }),
  ];
}
