// Enforces a tenant's limits over all processes, without a row that several of them write. A process counts in memory,
// and exchanges with the others through PostgreSQL once a second. Records and connections are counted in PostgreSQL.

import type { Logger } from "pino";
import { onCommit, type Sql, type Transaction } from "../db/sql.ts";
import { DAY_MS } from "../durations.ts";
import { Conflict, TooManyRequests } from "../errors.ts";
import type { TenantId } from "../ids.ts";
import { createOutageLog } from "../log.ts";
import { effective, LIMITS, type LimitName, NEAR_PERCENT, type TenantBounds } from "../tenant-limits.ts";
import { createWriteBehind } from "../write-behind.ts";
import {
  countConnections,
  countRecords,
  type Elsewhere,
  lockCount,
  noteRecords,
  readElsewhere,
  readUsed,
  report,
  type Used,
} from "./store.ts";

export interface Limits {
  /** @throws TooManyRequests */
  admitRequest(tenantId: TenantId): void;
  /**
   * Before the event of a change is written. Deletions are counted, and always admitted.
   * @throws TooManyRequests, Conflict
   */
  admitEvent(tx: Transaction, tenantId: TenantId, isDeletion: boolean): Promise<void>;
  /** Before a record is inserted. @throws Conflict */
  admitRecord(tx: Transaction, tenantId: TenantId): Promise<void>;
  /** Before a connection is inserted. @throws Conflict */
  admitConnection(tx: Transaction, tenantId: TenantId): Promise<void>;
  read(tenantId: TenantId): Promise<Used[]>;
  /** After a change of the tenant's limits, which other processes notice within FRESH_MS. */
  forget(tenantId: TenantId): void;
  /** Writes the remaining counts; call it after the last request. */
  stop(): Promise<void>;
}

export interface LimitsDependencies {
  sql: Sql;
  installation: TenantBounds;
  /** Of entities. */
  tables: readonly string[];
  log: Logger;
}

const EVERY_MS = 1_000;
const FRESH_MS = 10_000;
/** Below a 100th of its requests and a 1,000th of its events, a tenant is reported only once a minute. */
const PARTS = { requests: 100, events: 1_000 };
const REPORT_MS = 60_000;
const PEAK_MS = 10 * 60_000;
/**
 * If a tenant may add more records than this, they are counted beside requests, which cannot add so many between two
 * counts.
 */
const ROOM = 20_000;
/** The part of the remaining records that a process may add before it counts in a request. */
const SHARE = 1 / 20;
/** A count is used for this many times its duration, so it costs at most 2 % of a core. */
const REST = 50;
const REST_MS = { min: 1_000, max: 60_000 };
/** Above this many tenants, idle ones are forgotten. */
const TENANTS_KEPT = 10_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** Times are milliseconds of `performance.now()`. */
interface Known {
  bounds: TenantBounds;
  /** The counts of other processes, and the last measurement. */
  elsewhere: Pick<Elsewhere, "events" | "requests" | "processes" | "bytes">;
  readAt: number;
  /** Of its limits, in this process; values that were read before are outdated. */
  changedOn: number;
  reportedAt: number;
  /** In UTC, as `2026-01-31`. */
  day: string;
  /** The events of the day in this process. */
  events: number;
  eventsReported: number;
  /** Admitted since the last exchange. */
  requests: number;
  /** The requests that may come at once. */
  quota: { left: number; at: number };
  peak: { rate: number; at: number };
  /** The last count, the number that may be added before the next, and its end. */
  records: { used: number; left: number; until: number; noted: number };
}

export function createLimits({ sql, installation, tables, log }: LimitsDependencies): Limits {
  const processId = Bun.randomUUIDv7();
  const tenants = new Map<TenantId, Known>();
  const active = new Set<TenantId>();
  /** How many records each transaction may still add, once it has locked its tenant's count. */
  const rooms = new WeakMap<Transaction, { left: number }>();
  const outage = createOutageLog(log);
  const couldNotExchange = (error: unknown) =>
    outage({ err: error }, "counts of tenants could not be exchanged; until then their limits apply per process");
  let exchangedAt = performance.now();
  const exchanging = createWriteBehind(EVERY_MS, () => active.size > 0, exchange);

  function knownOf(tenantId: TenantId): Known {
    let known = tenants.get(tenantId);
    if (!known) {
      known = newKnown(installation);
      tenants.set(tenantId, known);
      read(sql, [tenantId]).catch(couldNotExchange);
    }
    active.add(tenantId);
    exchanging.soon();
    if (known.day === today()) return known;
    const elsewhere = { ...known.elsewhere, events: 0 };
    return Object.assign(known, { day: today(), events: 0, eventsReported: 0, elsewhere });
  }

  async function readOf(tx: Transaction, tenantId: TenantId): Promise<Known> {
    const known = knownOf(tenantId);
    if (known.readAt === NEVER) await read(tx, [tenantId]);
    return known;
  }

  async function read(queries: Sql | Transaction, tenantIds: TenantId[]): Promise<void> {
    const began = performance.now();
    for (const { tenantId, ...row } of await readElsewhere(queries, processId, today(), tenantIds)) {
      const known = tenants.get(tenantId);
      if (!known || began < known.changedOn) continue;
      const bounds = effective(installation, row);
      if (known.readAt === NEVER || bounds.MaxRecords !== known.bounds.MaxRecords) {
        Object.assign(known.records, roomOf(known.records.used || row.records, bounds), { until: NEVER });
      }
      Object.assign(known, { bounds, elsewhere: row, readAt: performance.now() });
    }
  }

  async function exchange(): Promise<void> {
    const now = performance.now();
    const seconds = (now - exchangedAt) / 1_000;
    exchangedAt = now;
    const ids = [...active];
    active.clear();
    const rows = ids.map((tenantId) => {
      const known = tenants.get(tenantId)!;
      const rate = known.requests / seconds;
      known.requests = 0;
      const total = rate + known.elsewhere.requests;
      if (total >= known.peak.rate || now - known.peak.at > PEAK_MS) known.peak = { rate: total, at: now };
      return { tenantId, known, events: known.events, requests: rate, peak: known.peak.rate };
    });
    const reported = rows.filter(({ known, requests }) => isReported(known, requests, now));
    const due = rows.filter((row) => reported.includes(row) || now - row.known.readAt > FRESH_MS);
    const idsOfDue = due.map(({ tenantId }) => tenantId);
    try {
      if (reported.length > 0) await report(sql, processId, today(), reported);
      for (const { known, events } of reported) Object.assign(known, { reportedAt: now, eventsReported: events });
      for (const { tenantId, known } of due) await note(tenantId, known);
      if (due.length > 0) await read(sql, idsOfDue);
    } catch (error) {
      couldNotExchange(error);
    }
    for (const { tenantId, known } of rows) if (known.events !== known.eventsReported) active.add(tenantId);
    if (tenants.size > TENANTS_KEPT) forgetIdle(now);
  }

  /** Stores the number near the limit, because Settings shows it. */
  async function note(tenantId: TenantId, { records, bounds }: Known): Promise<void> {
    if (records.used === records.noted || records.used * 100 < bounds.MaxRecords * NEAR_PERCENT) return;
    records.noted = records.used;
    await noteRecords(sql, tenantId, records.used);
  }

  function forgetIdle(now: number): void {
    for (const [tenantId, { reportedAt, readAt }] of tenants) {
      if (!active.has(tenantId) && now - Math.max(reportedAt, readAt) > REPORT_MS) tenants.delete(tenantId);
    }
  }

  return {
    admitRequest(tenantId) {
      const known = knownOf(tenantId);
      const { quota, elsewhere, bounds } = known;
      const bound = bounds.MaxRequestsPerSecond;
      // The rest that other processes leave, but at least an equal share.
      const perSecond = Math.max(bound / (elsewhere.processes + 1), bound - elsewhere.requests);
      const now = performance.now();
      quota.left = Math.min(Math.max(perSecond, 1), quota.left + ((now - quota.at) / 1_000) * perSecond);
      quota.at = now;
      if (quota.left < 1) throw new TooManyRequests(reached("MaxRequestsPerSecond", bounds), 1);
      quota.left--;
      known.requests++;
    },

    async admitEvent(tx, tenantId, isDeletion) {
      const known = await readOf(tx, tenantId);
      const { bounds, elsewhere, records } = known;
      if (isDeletion) {
        onCommit(tx, () => {
          if (!isFar(records.used, bounds)) records.until = NEVER;
        });
      } else if (known.events + elsewhere.events >= bounds.MaxEventsPerDay) {
        throw new TooManyRequests(reached("MaxEventsPerDay", bounds), secondsLeftToday());
      } else if (elsewhere.bytes >= bounds.MaxStorageMegabytes * 1e6) {
        throw new Conflict(reached("MaxStorageMegabytes", bounds));
      }
      known.events++;
    },

    async admitRecord(tx, tenantId) {
      const known = await readOf(tx, tenantId);
      const room = rooms.get(tx) ?? (await roomIn(tx, tenantId, known));
      if (room.left < 1) throw new Conflict(reached("MaxRecords", known.bounds));
      room.left--;
    },

    async admitConnection(tx, tenantId) {
      const { bounds } = await readOf(tx, tenantId);
      await lockCount(tx, tenantId, "MaxConnections");
      if ((await countConnections(tx, tenantId)) < bounds.MaxConnections) return;
      throw new Conflict(reached("MaxConnections", bounds));
    },

    read: (tenantId) => readUsed(sql, installation, tenantId),

    forget(tenantId) {
      const known = tenants.get(tenantId);
      if (!known) return;
      Object.assign(known, { readAt: NEVER, changedOn: performance.now() });
      read(sql, [tenantId]).catch(couldNotExchange);
    },

    async stop() {
      for (const known of tenants.values()) known.reportedAt = NEVER;
      await exchanging.stop();
    },
  };

  async function roomIn(tx: Transaction, tenantId: TenantId, known: Known): Promise<{ left: number }> {
    const { records, bounds } = known;
    const isCounted = performance.now() < records.until;
    if (isFar(records.used, bounds) && records.left >= 1) {
      if (!isCounted) {
        // Prevents a second count at the same time.
        records.until = performance.now() + REST_MS.max;
        count(sql, tenantId, known).catch(couldNotExchange);
      }
      return records;
    }
    if (isCounted && records.used >= bounds.MaxRecords) return records;
    await lockCount(tx, tenantId, "MaxRecords");
    await count(tx, tenantId, known);
    if (isFar(records.used, bounds)) return records;
    const own = { left: bounds.MaxRecords - records.used };
    rooms.set(tx, own);
    return own;
  }

  async function count(queries: Sql | Transaction, tenantId: TenantId, { records, bounds }: Known): Promise<void> {
    const began = performance.now();
    const used = await countRecords(queries, tenantId, tables);
    const rest = Math.min(REST_MS.max, Math.max(REST_MS.min, (performance.now() - began) * REST));
    Object.assign(records, roomOf(used, bounds), { until: began + rest });
  }
}

const isFar = (used: number, { MaxRecords }: TenantBounds) => MaxRecords - used > ROOM;

/** Near the limit a process may add none, so each caller counts. */
function roomOf(used: number, bounds: TenantBounds) {
  return { used, left: isFar(used, bounds) ? (bounds.MaxRecords - used) * SHARE : 0 };
}

function newKnown(bounds: TenantBounds): Known {
  return {
    bounds,
    elsewhere: { events: 0, requests: 0, processes: 0, bytes: 0 },
    readAt: NEVER,
    changedOn: NEVER,
    reportedAt: NEVER,
    day: today(),
    events: 0,
    eventsReported: 0,
    requests: 0,
    quota: { left: Number.POSITIVE_INFINITY, at: performance.now() },
    peak: { rate: 0, at: NEVER },
    records: { used: 0, left: 0, until: NEVER, noted: 0 },
  };
}

function isReported({ bounds, events, eventsReported, reportedAt }: Known, rate: number, now: number): boolean {
  const added = events - eventsReported;
  if (rate * PARTS.requests >= bounds.MaxRequestsPerSecond || added * PARTS.events >= bounds.MaxEventsPerDay)
    return added + rate > 0;
  return added > 0 && now - reportedAt > REPORT_MS;
}

const today = () => new Date().toISOString().slice(0, 10);
const secondsLeftToday = () => Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1_000);

function reached(name: LimitName, bounds: TenantBounds): string {
  const { unit, cure } = LIMITS[name];
  return `This tenant has reached its limit ${name}: ${bounds[name]} ${unit}. ${cure}, or raise the limit.`;
}
