// Records as REST and the console read and change them, for callers with the scopes that each needs.

import type { Caller, Permitted, Shown, ShownPage, Tagged, Whole } from "../access/index.ts";
import type { Transaction } from "../db/sql.ts";
import type { Conditions } from "../http/conditions.ts";
import { type Asked, type Filters, readAsked } from "../http/query.ts";
import {
  type Entity,
  type EntityInput,
  filterName,
  filtersOf,
  isEqual,
  parseInput,
  type RecordDeclaration,
  type Row,
  removeRecord,
  rowsOf,
  waitForTurn,
  writeRecord,
} from "../records/index.ts";
import { findUserAttributes } from "./attributes.store.ts";
import type { AttributeDefinition } from "./attributes.ts";
import { upsertRecords } from "./bulk.ts";
import { eraseUser } from "./erase.ts";
import { attributesFieldOf, entityKind, givenIdentifiers } from "./kind.ts";
import { findAddressed, listRecords, type RecordAddress, readRecord, SEARCH_MS } from "./read.ts";
import { changeOf, toRecord } from "./record.ts";
import { createRegistry } from "./registry.ts";
import { inTransaction, type Records } from "./transaction.ts";

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
  /**
   * Updates the record with this Id or identifier, or inserts one, with its event in the same transaction.
   * @param body one record in the API's shape
   * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
   */
  save(caller: Permitted<Write>, body: unknown, conditions: Conditions, alongside?: Alongside): Promise<Seen>;
  saveAll(caller: Permitted<Write>, bodies: unknown[]): Promise<Shown<Shown<EntityRecord>[]>>;
  /** Undefined if there is none. For decisions, not for answers. */
  find(caller: Pick<Caller, "tenantId">, id: number): Promise<EntityRecord | undefined>;
  /**
   * Deletes the record as the first step of an erasure, with events that have only its identifiers.
   * @param then called in the transaction, before the deletion; without a record if there is none
   * @throws Permission, Conflict if it is the caller
   */
  erase<T>(
    caller: Permitted<"AccessManager:Erase">,
    id: number,
    then: (tx: Transaction, record: EntityRecord | undefined) => Promise<T>,
  ): Promise<T>;
  /**
   * Deletes the record and its dependent data (a client's credentials and secrets, a user's password).
   * @returns the last state
   * @throws BadInput, NotFound, MultipleRows, Permission, PreconditionFailed, Conflict if it is still referenced or is
   * the caller
   */
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
      const input = parseInput(entity, body);
      const row = await inTransaction(records, caller, entity, "one", async (tx, record) => {
        if (needsTurn(entity, input)) await waitForTurn(tx, caller.tenantId, entity);
        const { before, after } = await writeRecord(tx, caller, entityKind(records, entity), input, conditions);
        if (after !== before) await record(changeOf(entity, before ? "Updated" : "Created", [after]));
        await alongside?.(tx, after.id);
        return after;
      });
      return written(caller, row, body);
    },
    async saveAll(caller, bodies) {
      const rows = await upsertRecords(records, caller, entity, bodies);
      return caller.gate.writtenAll<EntityRecord>(
        entity.name,
        rows.map((row) => toRecord(entity, row)),
        bodies,
      );
    },
    async find({ tenantId }, id) {
      const row = await rowsOf(entity).find(records.sql, tenantId, { id });
      return row && toRecord(entity, row);
    },
    erase: (caller, id, then) => eraseUser(records, caller, entity, id, then),
    async remove(caller, address, conditions) {
      const found = await findAddressed(records.sql, caller, entity, address, "AccessManager:Delete");
      const { row, noneThere, column } = found;
      const gone = await inTransaction(records, caller, entity, "one", async (tx, record) => {
        const before = await rowsOf(entity).find(tx, caller.tenantId, row, "for update");
        // A concurrent request may have done it first.
        if (!before || !isEqual(before[column], row[column])) throw noneThere();
        await removeRecord(tx, caller, entityKind(records, entity), before, conditions);
        await record(changeOf(entity, "Deleted", [{ ...before, sequence: before.sequence + 1 }]));
        return before;
      });
      return written(caller, gone, {});
    },
  };
}

/**
 * Setting a foreign key locks two rows, its own and its target, and no order of ids avoids deadlocks. Without a
 * constraint, two callers could also insert the same identifier. PostgreSQL's own serialization must come before row
 * locks.
 */
function needsTurn(entity: Entity, input: EntityInput): boolean {
  if (input.references.some(({ target }) => target !== null)) return true;
  if (entity.fields.some(({ column, takesTurns }) => takesTurns && input.values[column] !== undefined)) return true;
  return input.id === undefined && givenIdentifiers(entity, input).some(({ unique }) => !unique);
}
