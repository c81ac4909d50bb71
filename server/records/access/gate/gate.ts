// The only gate for output: decides whether the caller may see each record in a response or page.

import type { Budget } from "../../../platform/budget.ts";
import type { Queries, Sql } from "../../../platform/db/sql.ts";
import { isUnfiltered, type Paging } from "../../../platform/http/query.ts";
import type { Call } from "../caller.ts";
import type { Permissions } from "../decisions/permissions.ts";
import { createPause } from "../decisions/policy-engine.ts";
import type { JudgedRecord } from "../decisions/resource-type.ts";
import type { Action } from "../scopes.ts";
import { type Cursors, type Filled, fill, type List, MAX_LOOKUP_ROWS, MAX_ROWS_READ } from "./list.ts";
import { type FindRecords, hideReferences, type ReadActionOf, seenAmong } from "./references.ts";
import { asShown, type Shown, type ShownPage, type Tagged, type Whole } from "./shown.ts";

export interface Admitted {
  permissions: Permissions;
  gate: Gate;
}

/** The policy resource and the entity tag's values, if they differ from the response. */
interface Behind {
  /** If there are several, all must be permitted. */
  resource?: object | readonly object[];
  /** The permission required to see it; default: reading the type. */
  action?: Action;
  version?: object;
}

type ManyBehind<Item> = Pick<Behind, "action"> & { resource?: (item: Item) => object | readonly object[] };

/** For one caller. Reading requires a permitting policy; the route checks scopes before. */
export interface Gate {
  /** The complete record. @throws Permission */
  show<Item extends object>(type: string, item: Item, behind?: Behind): Promise<Whole<Item>>;
  /** @throws Permission if policies let the caller see no record of the type */
  requireSome(type: string): void;
  sees(type: string, resource: object): boolean;
  /** Whether the caller may do this with a visible record, for fields that need more than read permission. */
  may(action: Action, type: string, resource: object): boolean;
  /** The visible records among these Ids. @param queries may be a transaction */
  seenIds(queries: Queries, type: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The readable records among these Ids, by scopes and policies. */
  known(type: string, ids: readonly string[]): Promise<Shown<JudgedRecord>[]>;
  /** Whether the caller may see every record of a type, so that counts reveal nothing. */
  seesAll(type: string): boolean;
  /** The visible part of a record after a write. @param sent its fields are the caller's own */
  written<Item extends object>(type: string, item: Item, sent: unknown, behind?: Behind): Promise<Tagged<Item>>;
  /** The same for many, within the tenant's budget. @throws TenantBusy, ServiceBusy */
  writtenAll<Item extends object>(type: string, items: Item[], sent: unknown[]): Promise<Shown<Shown<Item>[]>>;
  /** A page of readable records. @throws BadInput for a foreign cursor, TenantBusy, ServiceBusy */
  list<Row, Item extends object>(list: List<Row, Item>): Promise<ShownPage<Item>>;
  /** The same with plain ids instead of cursors, for internal paging. @throws TenantBusy, ServiceBusy */
  listAfter<Row, Item extends object>(
    list: Omit<List<Row, Item>, "paging">,
    limit: number,
    after: string | undefined,
  ): Promise<ShownPage<Item>>;
  /** Undefined without a readable record; hidden records do not count. @throws TenantBusy, ServiceBusy */
  lookUp<Row, Item extends object>(list: Omit<List<Row, Item>, "paging">): Promise<Shown<Item> | "several" | undefined>;
  only<Item extends object>(type: string, items: readonly Item[], behind?: ManyBehind<Item>): Promise<Shown<Item>[]>;
  /**
   * Records in an event's payload, if the caller may see all of them, both as stored there and in their present state.
   * @param isWhole false: partial records, so only their present state counts
   */
  payload<Item extends object>(
    type: string,
    records: readonly Item[],
    isWhole: boolean,
  ): Promise<Shown<Item>[] | undefined>;
  /** Counts of a type's records: null for callers who may not see all of them. */
  count<Name extends string>(type: string, counts: Record<Name, number>): Shown<Record<Name, number | null>>;
  /** A page of sub-records with Ids, of a visible record. @throws BadInput for a foreign cursor */
  pageOf<Item extends { Id: string }>(name: string, paging: Paging, items: readonly Item[]): ShownPage<Item>;
  /** All records as one page. @param all their number, with those that `only` has left out */
  page<Item>(items: Shown<Item>[], all: number): ShownPage<Item>;
  /** For If-Match, in the transaction of the change. Undefined for callers without read permission. */
  versionIn(tx: Queries, type: string, version: object, resource?: object): Promise<object>;
}

export interface GateDependencies {
  sql: Sql;
  cursors: Cursors;
  lists: Budget;
  readActionOf: ReadActionOf;
  findRecords: FindRecords;
}

const PAYLOAD = "Payload";
const NOTHING = { items: [], next: undefined, hasMore: false, hidden: 0 };

export function createGate(deps: GateDependencies, permissions: Permissions, call: Call): Gate {
  const { sql, cursors, lists, findRecords } = deps;
  const { tenantId, actor, clientId } = call;
  const references = { tenantId, permissions, readActionOf: deps.readActionOf, findRecords };

  function readAction(type: string) {
    const action = deps.readActionOf(type);
    if (!action) throw new Error(`Policies do not cover records of type ${type}.`);
    return action;
  }

  const allows = (action: Action, type: string, resource: object | readonly object[]) =>
    [resource].flat().every((one) => permissions.allows(action, type, one as JudgedRecord));

  const sees = (type: string, resource: object) => allows(readAction(type), type, resource);

  async function showAll<Item extends object>(items: readonly Item[]): Promise<Shown<Item>[]> {
    return (await hideReferences(references, sql, items)).map(asShown);
  }

  /** Many decisions yield to other requests in between, and run within the tenant's budget. */
  function whileDeciding<T>(
    type: string,
    work: (pause: () => Promise<void>) => Promise<T>,
    action = readAction(type),
  ): Promise<T> {
    if (permissions.reach(action, type) !== "Some") return work(async () => {});
    return lists.run(tenantId, () => work(createPause()));
  }

  async function looked<Row, Item extends object>(
    list: Omit<List<Row, Item>, "paging">,
    range: { limit: number; after: string | undefined; max: number },
  ): Promise<Omit<Filled<Row>, "rows"> & { items: Shown<Item>[] }> {
    const { type, item, isDecidable, resource = item, orFor, action = readAction(type), of } = list;
    if (!orFor && permissions.reach(action, type) === "None") return NOTHING;
    const readPage = async (pause: () => Promise<void>) => {
      const { read, seesOwner } = withOwners(list);
      const { rows, ...end } = await fill({ ...list, read }, range, async (row) => {
        await pause();
        if (!seesOwner(row) || isDecidable?.(row) === false) return false;
        const judged = resource(row);
        return allows(action, type, judged) || (orFor !== undefined && allows(orFor, type, judged));
      });
      return { items: await showAll(rows.map(item)), ...end };
    };
    const decidesOfOwners = of && permissions.reach(action, type) !== "Some";
    return decidesOfOwners ? whileDeciding(of.type, readPage) : whileDeciding(type, readPage, action);
  }

  /**
   * How many records a page says to leave out. With a filter, the number would reveal whether a hidden record matches
   * it; so would the list of a record's own parts, and a list whose rows another record hides.
   */
  function toldOf(
    { type, name, action = readAction(type), of }: Pick<List<never, unknown>, "type" | "name" | "action" | "of">,
    hidden: number,
    paging?: Paging,
  ): number | null {
    const reach = permissions.reach(action, type);
    if (reach === "All" && (!of || permissions.reach(readAction(of.type), of.type) === "All")) return 0;
    return reach !== "None" && !name && !of && paging && isUnfiltered(paging) ? hidden : null;
  }

  /** Related data is read once per page, not per row. */
  function withOwners<Row>({ read, of }: Pick<List<Row, unknown>, "read" | "of">) {
    if (!of) return { read, seesOwner: () => true };
    const seen = new Set<string | null>([null]);
    return {
      async read(limit: number, after: string | undefined) {
        const rows = await read(limit, after);
        const ids = new Set(rows.flatMap((row) => of.id(row) ?? []));
        for (const id of await seenAmong(references, sql, of.type, [...ids])) seen.add(id);
        return rows;
      },
      seesOwner: (row: Row) => seen.has(of.id(row)),
    };
  }

  async function seesPayload(type: string, records: readonly object[], isWhole: boolean): Promise<boolean> {
    const ids = records.map((record) => String((record as { Id?: unknown }).Id));
    const now = await findRecords(sql, tenantId, type, ids);
    // A deleted record is evaluated by its last state, which partial records do not contain.
    if (!isWhole && now.length < ids.length) return false;
    const [action, pause] = [readAction(type), createPause()];
    for (const record of [...(isWhole ? records : []), ...now] as JudgedRecord[]) {
      await pause();
      if (!permissions.allows(action, type, record, PAYLOAD)) return false;
    }
    return true;
  }

  /** The values that a cursor is bound to. */
  const identityOf = (name: string, { filters }: Paging) => [
    tenantId,
    `${actor.type} ${actor.id}`,
    clientId,
    name,
    filters,
  ];

  const asSent = <Item extends object>(item: Item, sent: unknown, isWhole: boolean) =>
    isWhole ? item : (onlySent(item, sent) as Item);

  async function tagged<Item extends object>(item: Item, version: object | undefined): Promise<Tagged<Item>> {
    const [record, shownVersion] = await showAll<object>(version === undefined ? [item] : [item, version]);
    return { record: record as Shown<Item>, version: shownVersion };
  }

  return {
    async show(type, item, { resource = item, version = item, action = readAction(type) } = {}) {
      for (const one of [resource].flat()) permissions.require(action, type, one as JudgedRecord);
      return (await tagged(item, version)) as Whole<typeof item>;
    },
    requireSome(type) {
      const action = readAction(type);
      if (permissions.reach(action, type) === "None") permissions.require(action, type, {});
    },
    sees,
    may: (action, type, resource) => call.scopes.has(action) && allows(action, type, resource),
    seenIds: (queries, type, ids) => seenAmong(references, queries, type, ids),
    async known(type, ids) {
      const action = deps.readActionOf(type);
      if (!action || ids.length === 0 || !call.scopes.has(action)) return [];
      if (permissions.reach(action, type) === "None") return [];
      const found = await findRecords(sql, tenantId, type, ids);
      return whileDeciding(type, async (pause) => {
        const seen: JudgedRecord[] = [];
        for (const record of found) {
          await pause();
          if (permissions.allows(action, type, record)) seen.push(record);
        }
        return seen.map(asShown);
      });
    },
    seesAll: (type) => permissions.reach(readAction(type), type) === "All",
    async written(type, item, sent, { resource = item, version = item, action = readAction(type) } = {}) {
      const isWhole = allows(action, type, resource);
      return tagged(asSent(item, sent, isWhole), isWhole ? version : undefined);
    },
    writtenAll: (type, items, sent) =>
      whileDeciding(type, async (pause) => {
        const records: typeof items = [];
        for (const [index, item] of items.entries()) {
          await pause();
          records.push(asSent(item, sent[index], sees(type, item)));
        }
        return asShown(await showAll(records));
      }),
    async list(list) {
      const { type, name = type, paging } = list;
      const identity = identityOf(name, paging);
      const after = paging.cursor ? cursors.open(identity, paging.cursor) : undefined;
      const max = cursors.rowsLookedAt(identity, after);
      const { items, next, hidden } = await looked(list, { limit: paging.limit, after, max });
      const Next = next === undefined ? null : cursors.seal(identity, next);
      return asShown({ Items: items, Next, Hidden: toldOf(list, hidden, paging) });
    },
    async listAfter(list, limit, after) {
      const { items, next, hidden } = await looked(list, { limit, after, max: MAX_ROWS_READ });
      return asShown({ Items: items, Next: next ?? null, Hidden: toldOf(list, hidden) });
    },
    async lookUp(list) {
      const { items, hasMore } = await looked(list, { limit: 1, after: undefined, max: MAX_LOOKUP_ROWS });
      return hasMore ? "several" : items[0];
    },
    only: <Item extends object>(
      type: string,
      items: readonly Item[],
      { resource = (item) => item, action = readAction(type) }: ManyBehind<Item> = {},
    ) =>
      whileDeciding(
        type,
        async (pause) => {
          const kept: Item[] = [];
          for (const item of items) {
            await pause();
            if (allows(action, type, resource(item))) kept.push(item);
          }
          return showAll(kept);
        },
        action,
      ),
    async payload<Item extends object>(type: string, records: readonly Item[], isWhole: boolean) {
      const action = readAction(type);
      const reach = permissions.reach(action, type, PAYLOAD);
      if (reach === "None") return undefined;
      if (reach === "Some" && !(await lists.run(tenantId, () => seesPayload(type, records, isWhole)))) return undefined;
      return (await hideReferences(references, sql, records, PAYLOAD)).map(asShown);
    },
    count<Name extends string>(type: string, counts: Record<Name, number>) {
      const seesAll = permissions.reach(readAction(type), type) === "All";
      const shown = Object.entries<number>(counts).map(([name, count]) => [name, seesAll ? count : null]);
      return asShown(Object.fromEntries(shown) as Record<Name, number | null>);
    },
    pageOf(name, paging, items) {
      const identity = identityOf(name, paging);
      const after = paging.cursor ? cursors.open(identity, paging.cursor) : undefined;
      const start = items.findIndex(({ Id }) => Id === after) + 1;
      const shown = items.slice(start, start + paging.limit);
      const last = items.length > start + paging.limit ? shown.at(-1) : undefined;
      return asShown({ Items: shown.map(asShown), Next: last ? cursors.seal(identity, last.Id) : null, Hidden: 0 });
    },
    page: (items, all) => asShown({ Items: items, Next: null, Hidden: all - items.length }),
    async versionIn(tx, type, version, resource = version) {
      if (!sees(type, resource)) return { unknown: Bun.randomUUIDv7() };
      return (await hideReferences(references, tx, [version]))[0]!;
    },
  };
}

/** Values from the caller's own input reveal nothing. */
function onlySent(item: object, sent: unknown): object {
  const names = typeof sent === "object" && sent !== null ? Object.keys(sent) : [];
  return Object.fromEntries(Object.entries(item).filter(([name]) => name === "Id" || names.includes(name)));
}
