// Records as REST and the console read and change them: the scopes that SPEC.md asks for, and then what each does.

import { type Caller, requireScopes } from "../access/index.ts";
import type { Conditions } from "../http/conditions.ts";
import type { Page } from "../http/paging.ts";
import { upsertRecords } from "./bulk.ts";
import type { EntityDefinition } from "./definition.ts";
import { deleteRecord } from "./delete.ts";
import { listRecords } from "./list.ts";
import { type Address, readRecord } from "./read.ts";
import { toRecord } from "./record.ts";
import { createRegistry, type Entity } from "./registry.ts";
import type { Row } from "./store.ts";
import type { Records } from "./transaction.ts";
import { upsertRecord } from "./upsert.ts";

/** In its response shape. */
export type EntityRecord = Record<string, unknown>;

export interface Versioned {
  record: EntityRecord;
  /** What its entity tag depends on. */
  version: Row;
}

/** The records of one entity; what each throws beside Permission stands at the function that it calls. */
export interface EntityService {
  readonly entity: Entity;
  list(caller: Caller, parameters: URLSearchParams): Promise<Page<EntityRecord>>;
  read(caller: Caller, address: Address): Promise<Versioned>;
  /** What `save` and `saveAll` ask first, for who has to read a body before. @throws Permission */
  requireWrite(caller: Caller): void;
  /** @param body one record in the API's shape */
  save(caller: Caller, body: unknown, conditions: Conditions): Promise<Versioned>;
  saveAll(caller: Caller, bodies: unknown[]): Promise<EntityRecord[]>;
  /** @returns the last state */
  remove(caller: Caller, address: Address, conditions: Conditions): Promise<Versioned>;
}

export interface Entities {
  readonly all: readonly EntityService[];
  /** @throws Error if there is no such entity */
  of(name: string): EntityService;
}

export function createEntities(records: Records, definitions: readonly EntityDefinition[]): Entities {
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
  const versioned = (row: Row): Versioned => ({ record: toRecord(entity, row), version: row });
  /** SPEC.md Authentication 2: an upsert may come to either. */
  const requireWrite = (caller: Caller) => requireScopes(caller, "AccessManager:Create", "AccessManager:Update");
  return {
    entity,
    requireWrite,
    async list(caller, parameters) {
      requireScopes(caller, "AccessManager:Read");
      return listRecords(records.sql, caller, entity, parameters);
    },
    async read(caller, address) {
      requireScopes(caller, "AccessManager:Read");
      return versioned(await readRecord(records.sql, caller, entity, address));
    },
    async save(caller, body, conditions) {
      requireWrite(caller);
      return versioned(await upsertRecord(records, caller, entity, body, conditions));
    },
    async saveAll(caller, bodies) {
      requireWrite(caller);
      return (await upsertRecords(records, caller, entity, bodies)).map((row) => toRecord(entity, row));
    },
    async remove(caller, address, conditions) {
      requireScopes(caller, "AccessManager:Delete");
      return versioned(await deleteRecord(records, caller, entity, address, conditions));
    },
  };
}
