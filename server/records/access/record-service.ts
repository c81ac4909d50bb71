// The records of one kind as REST and the console read and change them. Each call asks for a policy that permits it.

import type { Queries, Sql, Transaction } from "../../platform/db/sql.ts";
import { NotFound } from "../../platform/errors.ts";
import type { Conditions } from "../../platform/http/conditions.ts";
import { changesOf, type Details, valuesShown } from "../../platform/http/contract.ts";
import type { Fields, InputOf } from "../../platform/http/fields.ts";
import { type Filter, type Filters, type Paging, textFilter, type Values } from "../../platform/http/query.ts";
import type { TenantId } from "../../platform/ids.ts";
import { searchFilter, sortFilter } from "../filters.ts";
import type { AUDITED_AS, Declaration, RecordScopes, SETTING } from "../record.ts";
import { type Arranged, positionOf, type RowFilter } from "../table.store.ts";
import { removeRecord, writeRecord } from "../write.ts";
import type { Found, RecordKind } from "../write-parts.ts";
import type { Caller, Permitted } from "./bearer.ts";
import type { JudgedRecord } from "./decisions/resource-type.ts";
import type { FindRecords } from "./gate/references.ts";
import type { ShownPage, Tagged, Whole } from "./gate/shown.ts";
import type { ScopeAction } from "./scopes.ts";

/** The records of one kind, for callers with its scopes. Routes and pages of every kind use it. */
export interface RecordService<Item, Input, S extends RecordScopes = typeof SETTING, Q extends Filters = ByName> {
  find: FindRecords;
  /** Those of its list. */
  filters: Q;
  /** The names of its filters are case-insensitive. */
  anyCase?: boolean;
  /** A page of readable records. @throws BadInput, ServiceBusy */
  list(caller: Permitted<ScopeOf<S["read"]>>, filters: Partial<Values<Q>>, paging: Paging): Promise<ShownPage<Item>>;
  /** The records of a list, up to `max`; null for a caller who does not see all of the kind. */
  count(caller: Permitted<ScopeOf<S["read"]>>, filters: Partial<Values<Q>>, max: number): Promise<number | null>;
  /**
   * @param id as it appears in the path @param by the field with this value; default: Id
   * @throws BadInput, NotFound, MultipleRows, Permission
   */
  read(caller: Permitted<ScopeOf<S["read"]>>, id: string, by?: string): Promise<Whole<Item>>;
  /**
   * Updates the record with this Id or another identifier, or creates one. @param sent the original body
   * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
   */
  save(
    caller: Permitted<ScopeOf<S["create"] | S["update"]>>,
    input: Input,
    conditions: Conditions,
    sent: unknown,
  ): Promise<Tagged<Item>>;
  /** @returns the visible part of its last state @throws the errors of `read`, Conflict, PreconditionFailed */
  remove(
    caller: Permitted<ScopeOf<S["remove"]>>,
    id: string,
    conditions: Conditions,
    by?: string,
  ): Promise<Tagged<Item>>;
}

export type ScopeOf<S extends string> = Extract<S, ScopeAction>;

type ByName = Record<"Name" | "Search" | "Sort", Filter<string | undefined>>;

/** One without idOf, findAll, filters and list is of single records, which always exist. */
export interface ServedKind<Row extends object, Item extends JudgedRecord, Input, Q extends Filters = ByName>
  extends RecordKind<Caller, Row, Input> {
  recordOf(row: Row): Item;
  /** The visible part of a record for a caller who may read it; default: everything. */
  shown?(caller: Caller, record: Item): Item;
  idOf?(row: Row): string;
  /** @param id as it appears in the path @param isLocked for a change @throws NotFound, BadInput for an invalid Id */
  find(sql: Queries, tenantId: TenantId, id: string, isLocked?: boolean): Promise<Row | undefined>;
  /** Existing rows of these Ids, for references from other records. */
  findAll?(sql: Queries, tenantId: TenantId, ids: readonly string[]): Promise<Row[]>;
  filters?: Q;
  /** One more than the limit, if there are more. */
  list?(sql: Queries, tenantId: TenantId, filters: Partial<Values<Q>>, limit: number, after?: string): Promise<Row[]>;
  count?(sql: Queries, tenantId: TenantId, filters: Partial<Values<Q>>, max: number): Promise<number>;
  /** Validates an input before any look-up. @throws BadInput */
  checkInput?(caller: Caller, input: Input): Promise<void>;
  /** Default: a transaction of the tenant. @param work receives the caller's present permissions */
  transact?(caller: Caller, work: (tx: Transaction, by: Caller) => Promise<Row>): Promise<Row>;
  committed?(tenantId: TenantId, row: Row): void | Promise<void>;
}

export function createRecordService<
  Row extends object,
  Item extends JudgedRecord,
  Input extends object,
  Q extends Filters = ByName,
>(sql: Sql, kind: ServedKind<Row, Item, Input, Q>) {
  const { declaration, recordOf, version = recordOf, shown = (_, record) => record } = kind;
  const { name } = declaration;
  const transact: NonNullable<typeof kind.transact> =
    kind.transact ?? (async (caller, work) => (await sql.beginFor(caller.tenantId, (tx) => work(tx, caller))) as Row);

  async function find(queries: Queries, tenantId: TenantId, id: string, isLocked = false): Promise<Row> {
    const row = await kind.find(queries, tenantId, id, isLocked);
    if (!row) throw new NotFound(`There is no ${name} with this Id.`);
    return row;
  }

  async function written(caller: Caller, row: Row, sent: unknown) {
    await kind.committed?.(caller.tenantId, row);
    const resource = recordOf(row);
    return caller.gate.written(name, shown(caller, resource), sent, { resource, version: version(row) });
  }

  async function removeLocked(caller: Caller, conditions: Conditions, lock: (tx: Transaction) => Promise<Row>) {
    const gone = await transact(caller, async (tx, by) => {
      const row = await lock(tx);
      await removeRecord(tx, by, kind, row, conditions);
      return row;
    });
    return written(caller, gone, {});
  }

  function show(caller: Caller, row: Row) {
    const resource = recordOf(row);
    return caller.gate.show(name, shown(caller, resource), { resource, version: version(row) });
  }

  const page = (caller: Caller, paging: Paging, read: (limit: number, after?: string) => Promise<Row[]>) =>
    caller.gate.list({
      type: name,
      paging,
      read,
      id: (row) => positionOf(kind.idOf!(row), row),
      item: (row) => shown(caller, recordOf(row)),
      resource: recordOf,
    });

  const findRecords: FindRecords = async (queries, tenantId, _, ids) =>
    (await kind.findAll!(queries, tenantId, ids)).map(recordOf);

  return {
    find: findRecords,
    filters: kind.filters!,
    page,
    list: (caller: Caller, filters: Partial<Values<Q>>, paging: Paging) =>
      page(caller, paging, (limit, after) => kind.list!(sql, caller.tenantId, filters, limit, after)),
    count: async (caller: Caller, filters: Partial<Values<Q>>, max: number) =>
      caller.gate.seesAll(name) ? kind.count!(sql, caller.tenantId, filters, max) : null,
    show,
    read: async (caller: Caller, id: string) => show(caller, await find(sql, caller.tenantId, id)),
    /** @param alongside further work in the transaction, which may be repeated */
    async save(caller: Caller, input: Input, conditions: Conditions, sent: unknown, alongside?: Alongside<Row>) {
      await kind.checkInput?.(caller, input);
      const saved = await transact(caller, async (tx, by) => {
        const { after } = await writeRecord(tx, by, kind, input, conditions);
        await alongside?.(tx, after);
        return after;
      });
      return written(caller, saved, sent);
    },
    removeLocked,
    remove: (caller: Caller, id: string, conditions: Conditions) =>
      removeLocked(caller, conditions, (tx) => find(tx, caller.tenantId, id, true)),
  };
}

type Alongside<Row> = (tx: Transaction, row: Row) => Promise<void>;

/** The rows of a kind; made by `recordTable`, and extended by some kinds. */
export interface RecordStore<Row extends { id: string | number }> {
  searched: readonly string[];
  sorts: readonly string[];
  toId(text: string): Row["id"] | undefined;
  find(sql: Queries, tenantId: TenantId, key: RowKey<Row>, lock?: "for update"): Promise<Row | undefined>;
  findAll(sql: Queries, tenantId: TenantId, ids: readonly Row["id"][]): Promise<Row[]>;
  list(
    sql: Queries,
    tenantId: TenantId,
    wanted: RowFilter<Row>,
    limit: number,
    after: string | undefined,
    asked: Arranged,
  ): Promise<Row[]>;
  count(sql: Queries, tenantId: TenantId, wanted: RowFilter<Row>, max: number, asked: Arranged): Promise<number>;
  insert(sql: Queries, tenantId: TenantId, row: Row, actor: Caller["actor"]): Promise<Row | undefined>;
  update(sql: Queries, tenantId: TenantId, row: Row, actor: Caller["actor"], before: Row): Promise<Row>;
  remove(sql: Queries, tenantId: TenantId, id: Row["id"]): Promise<void>;
}

type RowKey<Row extends { id: string | number }> = { id: Row["id"] } | { name: string };

/**
 * The parts of a kind that its table gives.
 * @param lock of rows that are changed; undefined: `transact` serializes writers
 */
export function tableKind<F extends Fields, Row extends { id: string | number }>(
  declaration: Declaration<F>,
  store: RecordStore<Row>,
  lock?: "for update",
) {
  const wantedOf = ({ Search: _, Sort: __, ...equal }: ListFilters) =>
    declaration.toColumns(equal as InputOf<F>) as RowFilter<Row>;
  const arrangedOf = ({ Search: searched, Sort: sort }: ListFilters) => ({ searched, sort });
  return {
    declaration,
    recordOf: (row: Row) => declaration.toRecord(row),
    idOf: ({ id }: Row) => String(id),
    async find(queries: Queries, tenantId: TenantId, text: string, isLocked?: boolean) {
      const id = store.toId(text);
      return id === undefined ? undefined : store.find(queries, tenantId, { id }, isLocked ? lock : undefined);
    },
    findAll: (queries: Queries, tenantId: TenantId, ids: readonly string[]) =>
      store.findAll(
        queries,
        tenantId,
        ids.flatMap((id) => store.toId(id) ?? []),
      ),
    filters: listFilters(declaration, store),
    list: (queries: Queries, tenantId: TenantId, filters: ListFilters, limit: number, after?: string) =>
      store.list(queries, tenantId, wantedOf(filters), limit, after, arrangedOf(filters)),
    count: (queries: Queries, tenantId: TenantId, filters: ListFilters, max: number) =>
      store.count(queries, tenantId, wantedOf(filters), max, arrangedOf(filters)),
    insert: (tx: Transaction, { tenantId, actor }: Caller, row: Row) => store.insert(tx, tenantId, row, actor),
    update: (tx: Transaction, { tenantId, actor }: Caller, row: Row, before: Row) =>
      store.update(tx, tenantId, row, actor, before),
    remove: (tx: Transaction, { tenantId }: Caller, { id }: Row) => store.remove(tx, tenantId, id),
  };
}

type ListFilters = Partial<Values<ByName>>;

function listFilters(
  { nouns, field }: Pick<Declaration, "nouns" | "field">,
  { searched, sorts }: Pick<RecordStore<never>, "searched" | "sorts">,
): ByName {
  return {
    Name: textFilter(`The ${nouns[0]} of this Name.`, field.Name?.shown),
    Search: searchFilter(searched),
    Sort: sortFilter(sorts),
  };
}

export function byIdOrName<Row, Id extends string>(
  name: string,
  find: (tx: Transaction, tenantId: TenantId, key: { id: Id } | { name: string }) => Promise<Row | undefined>,
) {
  return async (
    tx: Transaction,
    { tenantId }: Caller,
    { Id, Name }: { Id?: Id; Name?: string | null },
  ): Promise<Found<Row>> => {
    if (!Id && !Name) return { rows: [] };
    const row = await find(tx, tenantId, Id ? { id: Id } : { name: Name! });
    if (!row && Id) throw new NotFound(`There is no ${name} with the Id ${Id}.`);
    return { rows: row ? [row] : [] };
  };
}

export type RecordChange = (tx: Queries, tenantId: TenantId, caller: Caller, change: AuditedChange) => Promise<void>;

interface AuditedChange {
  kind: `${(typeof AUDITED_AS)[number]}.${"Created" | "Changed" | "Deleted"}`;
  subject?: { type: string; id: string };
  details?: Details;
}

/**
 * Audits a kind's changes. An event has what a client changed, but does not name a person who deletes a record: kinds with
 * events audit people alone. @param valuesOf the audited values, with seals instead of secrets
 */
export function auditedAs<Row>(
  record: RecordChange,
  { name, audit, events, namesOf }: Pick<Declaration, "name" | "audit" | "events" | "namesOf">,
  valuesOf: (row: Row) => JudgedRecord,
): RecordKind<Caller, Row & object, never>["audit"] {
  const inLog = namesOf((field) => field.audit);
  const withValue = namesOf((field) => field.audit === "value");
  return async (tx, caller, { before, after }) => {
    if (events && caller.actor.type !== "User") return;
    const [from, to] = [before && valuesOf(before), after && valuesOf(after)];
    const details =
      from && to ? changesOf(from, to, inLog, withValue) : valuesShown((to ?? from)!, events ? [] : withValue);
    if (!details) return;
    const kind = `${audit}.${!from ? "Created" : to ? "Changed" : "Deleted"}` as AuditedChange["kind"];
    const { Id } = (to ?? from)!;
    const subject = Id === undefined ? undefined : { type: name, id: String(Id) };
    await record(tx, caller.tenantId, caller, { kind, subject, details });
  };
}
