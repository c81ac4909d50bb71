// Records as REST and the console read and change them, for callers with the scopes that each needs.

import type { Transaction } from "../../platform/db/sql.ts";
import type { Conditions } from "../../platform/http/conditions.ts";
import { type Asked, type Filters, readAsked } from "../../platform/http/query.ts";
import type { Caller, Permitted } from "../access/bearer.ts";
import type { Shown, ShownPage, Tagged, Whole } from "../access/gate/shown.ts";
import { createRecordService } from "../access/record-service.ts";
import { filterName, filtersOf } from "../filters.ts";
import type { Entity } from "../registry.ts";
import { rowsOf } from "../rows.store.ts";
import { isEqual } from "../values.ts";
import { findUserAttributes } from "./attributes.store.ts";
import type { AttributeDefinition } from "./attributes.ts";
import { upsertRecords } from "./bulk.ts";
import { eraseUser } from "./erase.ts";
import { findAddressed, type RecordAddress, SEARCH_MS, wantedIn } from "./read.ts";
import type { Records } from "./record.ts";
import { attributesFieldOf, entityKind } from "./served-entity.ts";

export type EntityRecord = Record<string, unknown>;

/** The whole record, or for a change the visible part. */
type Seen = Tagged<EntityRecord>;

/** docs/behaviour.md "Authentication": an upsert may need either scope. */
type Write = "AccessManager:Create" | "AccessManager:Update";

/** Additional work in the transaction that writes a record; repeated if that is retried. */
type Alongside = (tx: Transaction, recordId: number) => Promise<void>;

/** The records of one entity. Errors beside Permission are documented at the called functions. */
export interface EntityService {
  readonly entity: Entity;
  attributes(caller: Pick<Caller, "tenantId">): Promise<AttributeDefinition[]>;
  /** Parses a list's query. @throws BadInput */
  asked(parameters: URLSearchParams): Asked<Filters>;
  /** @param searchMs the time limit of a Search */
  list(
    caller: Permitted<"AccessManager:Read">,
    asked: Asked<Filters>,
    searchMs?: number,
  ): Promise<ShownPage<EntityRecord>>;
  read(caller: Permitted<"AccessManager:Read">, address: RecordAddress): Promise<Whole<EntityRecord>>;
  /** Upserts with its event in one transaction. @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed */
  save(caller: Permitted<Write>, body: unknown, conditions: Conditions, alongside?: Alongside): Promise<Seen>;
  saveAll(caller: Permitted<Write>, bodies: unknown[]): Promise<Shown<Shown<EntityRecord>[]>>;
  /** Undefined if there is none. For decisions, not for answers. */
  find(caller: Pick<Caller, "tenantId">, id: number): Promise<EntityRecord | undefined>;
  /**
   * The first step of an erasure; its events have only the identifiers.
   * @param then called in the transaction, before the deletion; without a record if there is none
   * @throws Permission, Conflict if it is the caller
   */
  erase<T>(
    caller: Permitted<"AccessManager:Erase">,
    id: number,
    then: (tx: Transaction, record: EntityRecord | undefined) => Promise<T>,
  ): Promise<T>;
  /**
   * Also deletes dependent data: a client's credentials and secrets, a user's password. @returns the last state
   * @throws BadInput, NotFound, MultipleRows, Permission, PreconditionFailed, Conflict if referenced or the caller
   */
  remove(caller: Permitted<"AccessManager:Delete">, address: RecordAddress, conditions: Conditions): Promise<Seen>;
}

export interface Entities {
  readonly all: readonly EntityService[];
  /** @throws Error if there is no such entity */
  of(name: string): EntityService;
}

export function createEntities(records: Records, entities: readonly Entity[]): Entities {
  const all = entities.map((entity) => createEntityService(records, entity));
  return {
    all,
    of(name) {
      const found = all.find(({ entity }) => entity.name === name);
      if (!found) throw new Error(`There is no entity ${name}.`);
      return found;
    },
  };
}

function createEntityService(records: Records, entity: Entity): EntityService {
  const { sql } = records;
  const { name } = entity;
  const kind = entityKind(records, entity);
  const { list, show, save, removeLocked } = createRecordService(sql, kind);
  const filters = filtersOf(entity);
  return {
    entity,
    attributes: async ({ tenantId }) => (attributesFieldOf(entity) ? findUserAttributes(sql, tenantId) : []),
    asked: (parameters) => readAsked(filters, parameters, (given) => filterName(entity, given)),
    list: (caller, asked, searchMs = SEARCH_MS) =>
      list(caller, wantedIn(sql, caller, entity, asked.filters, searchMs), asked.paging),
    read: async (caller, address) => show(caller, (await findAddressed(sql, caller, entity, address)).row),
    save: (caller, body, conditions, alongside) =>
      save(caller, entity.parse(body), conditions, body, async (tx, { id }) => alongside?.(tx, id)),
    async saveAll(caller, bodies) {
      const rows = await upsertRecords(records, caller, entity, bodies);
      return caller.gate.writtenAll<EntityRecord>(name, rows.map(kind.recordOf), bodies);
    },
    async find({ tenantId }, id) {
      const row = await kind.find(sql, tenantId, String(id));
      return row && kind.recordOf(row);
    },
    erase: (caller, id, then) => eraseUser(records, caller, entity, id, then),
    async remove(caller, address, conditions) {
      const found = await findAddressed(sql, caller, entity, address, "AccessManager:Delete");
      const { row, notFound, column } = found;
      return removeLocked(caller, conditions, async (tx) => {
        const before = await rowsOf(entity).find(tx, caller.tenantId, row, "for update");
        // A concurrent request may have done it first.
        if (!before || !isEqual(before[column], row[column])) throw notFound();
        return before;
      });
    },
  };
}
