// Records as REST and the console read and change them, for callers with the scopes that each needs.

import type { Caller, Permitted, Shown, ShownPage, Tagged, Whole } from "../access/index.ts";
import type { Conditions } from "../http/conditions.ts";
import { type Asked, type Filters, readAsked } from "../http/query.ts";
import { type Entity, filterName, filtersOf, type RecordDeclaration, type Row } from "../records/index.ts";
import { findUserAttributes } from "./attributes.store.ts";
import type { AttributeDefinition } from "./attributes.ts";
import { upsertRecords } from "./bulk.ts";
import { deleteRecord } from "./delete.ts";
import { attributesFieldOf } from "./kind.ts";
import { listRecords, type RecordAddress, readRecord, SEARCH_MS } from "./read.ts";
import { toRecord } from "./record.ts";
import { createRegistry } from "./registry.ts";
import type { Records } from "./transaction.ts";
import { type Alongside, upsertRecord } from "./upsert.ts";

export type EntityRecord = Record<string, unknown>;

/** The whole record, or for a change the visible part. */
type Seen = Tagged<EntityRecord>;

/** docs/behaviour.md "Authentication": an upsert may need either scope. */
type Write = "AccessManager:Create" | "AccessManager:Update";

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
  /** @param body one record in the API's shape */
  save(caller: Permitted<Write>, body: unknown, conditions: Conditions, alongside?: Alongside): Promise<Seen>;
  saveAll(caller: Permitted<Write>, bodies: unknown[]): Promise<Shown<Shown<EntityRecord>[]>>;
  /** @returns the last state */
  remove(caller: Permitted<"AccessManager:Delete">, address: RecordAddress, conditions: Conditions): Promise<Seen>;
}

export interface Entities {
  readonly all: readonly EntityService[];
  /** @throws Error if there is no such entity */
  of(name: string): EntityService;
}

export function createEntities(records: Records, definitions: readonly RecordDeclaration[]): Entities {
  const all = createRegistry(definitions).map((entity) => createEntityService(records, entity));
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
  const written = ({ gate }: Caller, row: Row, sent: unknown) =>
    gate.written<EntityRecord>(entity.name, toRecord(entity, row), sent, { version: row });
  const filters = filtersOf(entity);
  return {
    entity,
    attributes: async ({ tenantId }) => (attributesFieldOf(entity) ? findUserAttributes(records.sql, tenantId) : []),
    asked: (parameters) => readAsked(filters, parameters, (given) => filterName(entity, given)),
    list: (caller, asked, searchMs = SEARCH_MS) => listRecords(records.sql, caller, entity, asked, searchMs),
    read: (caller, address) => readRecord(records.sql, caller, entity, address),
    async save(caller, body, conditions, alongside) {
      return written(caller, await upsertRecord(records, caller, entity, body, conditions, alongside), body);
    },
    async saveAll(caller, bodies) {
      const rows = await upsertRecords(records, caller, entity, bodies);
      return caller.gate.writtenAll<EntityRecord>(
        entity.name,
        rows.map((row) => toRecord(entity, row)),
        bodies,
      );
    },
    async remove(caller, address, conditions) {
      return written(caller, await deleteRecord(records, caller, entity, address, conditions), {});
    },
  };
}
