// Records as REST and the console read and change them, for callers with the scopes that each needs.

import { type Queries, readWithin, type Transaction } from "../../platform/db/sql.ts";
import { Permission, ServiceBusy } from "../../platform/errors.ts";
import type { Conditions } from "../../platform/http/conditions.ts";
import type { Filters, Paging, Values } from "../../platform/http/query.ts";
import type { Caller, Permitted } from "../access/bearer.ts";
import type { Shown, ShownPage, Tagged } from "../access/gate/shown.ts";
import { createRecordService, type RecordService } from "../access/record-service.ts";
import { wantedBy } from "../filters.ts";
import type { ENTITY } from "../record.ts";
import type { Entity } from "../registry.ts";
import { countRows, listRowsAt, rowsOf, type Where } from "../rows.store.ts";
import { type EntityInput, isEqual } from "../values.ts";
import { requireScopesOf, storeApart } from "./apart.ts";
import { findUserAttributes } from "./attributes.store.ts";
import type { AttributeDefinition } from "./attributes.ts";
import { type Upserted, upsertRecords } from "./bulk.ts";
import { eraseUser } from "./erase.ts";
import { findAddressed, readerOf, SEARCH_MS, tookTooLong } from "./read.ts";
import type { Records } from "./record.ts";
import { attributesFieldOf, entityKind } from "./served-entity.ts";

export type EntityRecord = Record<string, unknown>;

/** docs/behaviour.md "Authentication": an upsert may need either scope. */
type Write = "AccessManager:Create" | "AccessManager:Update";

interface ToldChange {
  /** None for one that a plan would create. */
  Id: string | number;
  Change: Upserted["change"];
}

/** Additional work in the transaction that writes a record; repeated if that is retried. */
type Alongside = (tx: Transaction, recordId: number) => Promise<void>;

/** The records of one entity. A deletion takes dependent data along: a client's secrets, a user's password. */
export interface EntityService extends RecordService<EntityRecord, EntityInput, typeof ENTITY, Filters> {
  readonly entity: Entity;
  attributes(caller: Pick<Caller, "tenantId">): Promise<AttributeDefinition[]>;
  /** @param searchMs the time limit of a Search */
  list(
    caller: Permitted<"AccessManager:Read">,
    filters: Values<Filters>,
    paging: Paging,
    searchMs?: number,
  ): Promise<ShownPage<EntityRecord>>;
  count(caller: Permitted<"AccessManager:Read">, filters: Values<Filters>, max: number): Promise<number | null>;
  /**
   * Records from a place on, with the number of all, which only callers see who may read every record.
   * @throws Permission, ServiceBusy
   */
  listAt(
    caller: Permitted<"AccessManager:Read">,
    where: Where | undefined,
    range: { offset: number; limit: number },
  ): Promise<{ Items: Shown<EntityRecord>[]; Total: number }>;
  save(
    caller: Permitted<Write>,
    input: EntityInput,
    conditions: Conditions,
    sent: unknown,
    alongside?: Alongside,
  ): Promise<Tagged<EntityRecord>>;
  saveAll(caller: Permitted<Write>, bodies: unknown[]): Promise<Shown<Shown<EntityRecord>[]>>;
  /** The same, answering only what happened to each record. @param isPlan writes nothing */
  saveAllTold(caller: Permitted<Write>, bodies: unknown[], isPlan: boolean): Promise<ToldChange[]>;
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
  const { find, filters, page, show, save, removeLocked } = createRecordService(sql, kind);
  return {
    entity,
    find,
    filters,
    anyCase: true,
    attributes: async ({ tenantId }) => (attributesFieldOf(entity) ? findUserAttributes(sql, tenantId) : []),
    list: (caller, wanted, paging, searchMs = SEARCH_MS) =>
      page(caller, paging, readerOf(sql, caller, entity, wanted, searchMs)),
    count: async (caller, wanted, max) =>
      caller.gate.seesAll(name) ? countRows(sql, caller.tenantId, entity, wantedBy(entity, wanted), max) : null,
    async listAt(caller, where, range) {
      const { tenantId, gate } = caller;
      if (!gate.seesAll(name)) {
        throw new Permission(`This list requires a policy that permits AccessManager:Read on every ${name}.`);
      }
      const read = (queries: Queries) => listRowsAt(queries, tenantId, entity, where, range);
      const found = await readWithin(sql, tenantId, SEARCH_MS, read);
      if (!found) throw new ServiceBusy(tookTooLong(SEARCH_MS));
      return { Items: await gate.only(name, found.rows.map(kind.recordOf)), Total: found.total };
    },
    read: async (caller, id, by) => show(caller, (await findAddressed(sql, caller, entity, id, by)).row),
    async save(caller, input, conditions, sent, alongside) {
      requireScopesOf(caller, entity, [input]);
      return save(caller, input, conditions, sent, async (tx, row) => {
        await storeApart(tx, records, caller, entity, input, row);
        await alongside?.(tx, row.id);
      });
    },
    async saveAll(caller, bodies) {
      const upserted = await upsertRecords(records, caller, entity, bodies);
      return caller.gate.writtenAll<EntityRecord>(
        name,
        upserted.map(({ row }) => kind.recordOf(row)),
        bodies,
      );
    },
    async saveAllTold(caller, bodies, isPlan) {
      const none = entity.idAsText ? "" : 0;
      const upserted = await upsertRecords(records, caller, entity, bodies, isPlan);
      return upserted.map(({ row, change }) => ({
        Id: isPlan && change === "Created" ? none : (kind.recordOf(row).Id as string | number),
        Change: change,
      }));
    },
    erase: (caller, id, then) => eraseUser(records, caller, entity, id, then),
    async remove(caller, id, conditions, by) {
      const found = await findAddressed(sql, caller, entity, id, by, "AccessManager:Delete");
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
