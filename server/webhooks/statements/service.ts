import type { Queries, Sql, Transaction } from "../../platform/db/sql.ts";
import { DAY_MS, HOUR_MS } from "../../platform/durations.ts";
import { BadInput } from "../../platform/errors.ts";
import { EXPORT_PAGE, type Export, type Exporter, type ExportFormat } from "../../platform/http/export.ts";
import { type ConnectionId, type EventId, timeOfId } from "../../platform/ids.ts";
import { type Caller, permit, type Shown, withoutRecords } from "../../records/index.ts";
import type { Connections } from "../connections/service.ts";
import { eventResources } from "../log/record.ts";
import { isDecidable } from "../log/service.ts";
import { MAX_COMMIT_MS } from "../log/store.ts";
import {
  MAX_STATED,
  MAX_STATED_EACH,
  MAX_STATEMENT_DAYS,
  NO_FIGURE,
  STATED,
  STATED_CONNECTION,
  STATED_DELIVERED,
  STATED_DELIVERY,
  STATEMENT,
  type Stated,
  type StatedFigure,
  type StatementFilter,
  type StatementRecord,
  statementFilters,
} from "./contract.ts";
import {
  beginSnapshot,
  countOwed,
  countStated,
  listConnectionNames,
  listStated,
  readStored,
  type StatedGroup,
  type StatedRow,
  type StatementPeriod,
} from "./store.ts";

const EVENT = "WebhookEvent";
const CONNECTION = "WebhookConnection";
const READ = "Webhooks:Read";
/** Deliveries that are judged between two queries. */
const BATCH = 200;

export interface DeliveryStatements {
  readonly filters: typeof statementFilters;
  /** Counted in one snapshot. @throws BadInput, NotFound, Permission, TenantBusy, ServiceBusy */
  read(caller: Caller, filter: StatementFilter): Promise<Shown<StatementRecord>>;
  /** The same as a JWT. */
  certify(caller: Caller, filter: StatementFilter): Promise<Shown<{ Certificate: string }>>;
  /** Each delivery with its outcome. @throws the same errors, and those of an Exporter */
  export(caller: Caller, filter: StatementFilter, format: ExportFormat): Promise<Export>;
}

export interface StatementsDependencies {
  sql: Sql;
  connections: Pick<Connections, "read">;
  retentionMs: number;
  exporter: Exporter;
  issuer: string;
  sign(claims: Record<string, unknown>): Promise<string>;
}

export function createStatements(deps: StatementsDependencies): DeliveryStatements {
  const { sql, connections, retentionMs, exporter, issuer, sign } = deps;

  /** The connections of a statement that the caller may read, by Id. */
  async function namesFor(queries: Queries, caller: Caller, id: ConnectionId | undefined) {
    if (id !== undefined) return new Map([[id, (await connections.read(caller, id)).record.Name]]);
    caller.gate.requireSome(CONNECTION);
    const all = await listConnectionNames(queries, caller.tenantId);
    const seen = await caller.gate.seenIds(
      queries,
      CONNECTION,
      all.map((one) => one.id),
    );
    return new Map(all.filter((one) => seen.has(one.id)).map((one) => [one.id, one.name]));
  }

  async function requireStored(queries: Queries, caller: Caller, period: StatementPeriod): Promise<Date> {
    const { asOf, keptSince } = await readStored(queries, caller.tenantId, retentionMs, period);
    if (keptSince > period.from)
      throw new BadInput(`From: events before ${keptSince.toISOString()} may have been removed. Choose a later time.`);
    return asOf;
  }

  async function groupsFor(tx: Transaction, caller: Caller, ids: ConnectionId[], period: StatementPeriod) {
    if (!caller.gate.seesAll(EVENT)) return groupsSeen(tx, caller, ids, period);
    const groups = await countStated(tx, caller.tenantId, ids, period, MAX_STATED);
    if (sumOf(groups) > MAX_STATED) throw tooMany(MAX_STATED);
    return groups;
  }

  /** For policies that decide about single events. */
  async function groupsSeen(tx: Transaction, caller: Caller, ids: ConnectionId[], period: StatementPeriod) {
    const owed = await countOwed(tx, caller.tenantId, ids, period, MAX_STATED_EACH + 1);
    if (sumOf(owed) > MAX_STATED_EACH) throw tooMany(MAX_STATED_EACH);
    const groups = new Map<string, StatedGroup>();
    for (const { connectionId } of owed) {
      for (let after: EventId | undefined, rows: StatedRow[] = []; after === undefined || rows.length > BATCH; ) {
        rows = await listStated(tx, caller.tenantId, connectionId, period, BATCH, after, needsPayload(caller));
        const page = rows.slice(0, BATCH);
        after = page.at(-1)?.eventId;
        if (after === undefined) break;
        const decidable = page.filter((row) => isDecidable(caller, eventOf(row)));
        const seen = await caller.gate.only(EVENT, decidable, { resource: (row) => eventResources(eventOf(row)) });
        for (const row of seen) addTo(groups, row);
      }
    }
    return [...groups.values()];
  }

  async function read(caller: Caller, filter: StatementFilter): Promise<StatementRecord> {
    const { tenantId, gate } = caller;
    const period = periodOf(filter);
    gate.requireSome(EVENT);
    return sql.beginLong(tenantId, async (tx) => {
      await beginSnapshot(tx);
      const asOf = await requireStored(tx, caller, period);
      const names = await namesFor(tx, caller, filter.ConnectionId);
      const groups = await groupsFor(tx, caller, [...names.keys()], period);
      return STATEMENT.toRecord(
        {},
        {
          From: period.from.toISOString(),
          To: period.to.toISOString(),
          AsOf: asOf.toISOString(),
          Closed: period.to.getTime() + MAX_COMMIT_MS < asOf.getTime(),
          Complete: gate.seesAll(EVENT) && (filter.ConnectionId !== undefined || gate.seesAll(CONNECTION)),
          ConnectionId: filter.ConnectionId ?? null,
          Owed: figureOf(groups),
          ...(Object.fromEntries(
            STATED.map((stated) => [stated, figureOf(groups.filter(({ outcome }) => outcome === stated))]),
          ) as Record<Stated, StatedFigure>),
          Connections: [...names]
            .map(([id, name]) => ({ id, name, own: groups.filter(({ connectionId }) => connectionId === id) }))
            .filter(({ id, own }) => own.length > 0 || id === filter.ConnectionId)
            .map(({ id, name, own }) => STATED_CONNECTION.toRecord({ connectionId: id }, countsOf(name, own))),
        },
      );
    });
  }

  return {
    filters: statementFilters,
    async read(caller, filter) {
      return withoutRecords(await read(caller, filter));
    },
    async certify(caller, filter) {
      const statement = await read(caller, filter);
      const claims = { iss: issuer, jti: Bun.randomUUIDv7(), tenant_id: caller.tenantId, ...statement };
      return withoutRecords({ Certificate: await sign(claims) });
    },
    async export(caller, filter, format) {
      const period = periodOf(filter);
      caller.gate.requireSome(EVENT);
      await requireStored(sql, caller, period);
      const first = [...(await namesFor(sql, caller, filter.ConnectionId)).keys()];
      let ids: ConnectionId[] = [];
      return exporter(caller, format, {
        name: `statement-${period.from.toISOString().slice(0, 16).replaceAll(":", "")}`,
        schema: STATED_DELIVERY.record,
        async count(max) {
          const owed = await sql.beginFor(caller.tenantId, (tx) => countOwed(tx, caller.tenantId, first, period, max));
          ids = owed.map(({ connectionId }) => connectionId);
          return sumOf(owed);
        },
        async readPage(reader, after) {
          const now = permit(reader, [READ]);
          const seen = await namesFor(sql, now, filter.ConnectionId);
          const from = (limit: number, after: string | undefined) =>
            readStated(
              now,
              ids.filter((id) => seen.has(id)),
              period,
              limit,
              after,
            );
          return now.gate.listAfter(listOf(now, from), EXPORT_PAGE, after);
        },
      });
    },
  };

  /** Of one connection after the other. */
  async function readStated(
    caller: Caller,
    ids: ConnectionId[],
    period: StatementPeriod,
    limit: number,
    after: string | undefined,
  ): Promise<StatedRow[]> {
    const [startId, lastEvent] = (after?.split(" ") ?? []) as [ConnectionId?, EventId?];
    const rows: StatedRow[] = [];
    for (const id of ids.filter((one) => startId === undefined || one >= startId)) {
      const next = id === startId ? lastEvent : undefined;
      const room = limit - rows.length;
      rows.push(...(await listStated(sql, caller.tenantId, id, period, room, next, needsPayload(caller))));
      if (rows.length > limit) break;
    }
    return rows;
  }
}

const listOf = (caller: Caller, read: (limit: number, after: string | undefined) => Promise<StatedRow[]>) => ({
  type: EVENT,
  name: "WebhookStatement",
  read,
  id: ({ connectionId, eventId }: StatedRow) => `${connectionId} ${eventId}`,
  isDecidable: (row: StatedRow) => isDecidable(caller, eventOf(row)),
  resource: (row: StatedRow) => eventResources(eventOf(row)),
  item: (row: StatedRow) =>
    STATED_DELIVERY.toRecord(row, { RecordId: row.recordIds.length === 1 ? row.recordIds[0]! : null }),
});

const eventOf = (row: StatedRow) => ({ ...row, id: row.eventId });
const needsPayload = ({ permissions }: Caller) => permissions.looksInto(READ, EVENT).length > 0;

/** @throws BadInput */
function periodOf({
  To: to = new Date(),
  From: from = new Date(to.getTime() - HOUR_MS),
}: StatementFilter): StatementPeriod {
  if (from >= to) throw new BadInput("From must be before To.");
  if (to.getTime() - from.getTime() > MAX_STATEMENT_DAYS * DAY_MS)
    throw new BadInput(`From: a statement has at most ${MAX_STATEMENT_DAYS} days. Choose a shorter period.`);
  return { from, to };
}

const tooMany = (max: number) =>
  new BadInput(
    `A statement has at most ${max.toLocaleString("en")} deliveries. Choose a shorter period, or one connection.`,
  );

const sumOf = (counts: readonly { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);

function addTo(groups: Map<string, StatedGroup>, { connectionId, outcome, eventId, reachedOn }: StatedRow): void {
  const key = `${connectionId} ${outcome}`;
  const one = { connectionId, outcome, count: 1, firstEvent: eventId, lastEvent: eventId };
  const added = { ...one, firstReached: reachedOn, lastReached: reachedOn };
  const known = groups.get(key);
  groups.set(key, known ? { ...known, ...spanOf([known, added]), count: known.count + 1 } : added);
}

type Span = Pick<StatedGroup, "firstEvent" | "lastEvent" | "firstReached" | "lastReached">;

function spanOf(groups: readonly Span[]): Span {
  const events = groups.flatMap(({ firstEvent, lastEvent }) => [firstEvent, lastEvent]).toSorted();
  const times = groups
    .flatMap(({ firstReached, lastReached }) => [firstReached ?? [], lastReached ?? []].flat())
    .toSorted((one, other) => one.getTime() - other.getTime());
  return {
    firstEvent: events[0]!,
    lastEvent: events.at(-1)!,
    firstReached: times[0] ?? null,
    lastReached: times.at(-1) ?? null,
  };
}

function figureOf(groups: readonly StatedGroup[]): StatedFigure {
  if (groups.length === 0) return NO_FIGURE;
  const { firstEvent, lastEvent, firstReached, lastReached } = spanOf(groups);
  return {
    Count: sumOf(groups),
    FirstEvent: timeOfId(firstEvent).toISOString(),
    LastEvent: timeOfId(lastEvent).toISOString(),
    FirstReached: firstReached?.toISOString() ?? null,
    LastReached: lastReached?.toISOString() ?? null,
  };
}

function countsOf(ConnectionName: string, groups: readonly StatedGroup[]) {
  const of = (...stated: Stated[]) => sumOf(groups.filter(({ outcome }) => stated.includes(outcome)));
  const [Open, Held, Exhausted, Cancelled] = [of("Open"), of("Held"), of("Exhausted"), of("Cancelled")];
  return {
    ...{ ConnectionName, Owed: sumOf(groups), Delivered: of(...STATED_DELIVERED) },
    ...{ Open, Held, Exhausted, Cancelled },
  };
}
