// Counts of a tenant by slices of time. A past slice no longer changes, so it is counted once and then kept in memory:
// who watches a page of counts reads only the present slice again and again.

import { LRUCache } from "lru-cache";
import { DAY_MS, HOUR_MS } from "./durations.ts";
import type { TenantId } from "./ids.ts";

/** A transaction that began in a slice may be committed this much later. */
const SETTLED_MS = 2 * 60_000;
/** Erasures and retention remove rows of past slices. */
const KEPT_MS = HOUR_MS;
const MAX_ROWS = 200_000;
/** One statement counts at most this much. */
const MAX_RANGE_MS = DAY_MS;

/** Equal parts of the time up to now; they begin at multiples of their length. */
export interface Slices {
  starts: Date[];
  sliceMs: number;
}

export function slicesUntil(now: number, count: number, sliceMs: number): Slices {
  const last = Math.floor(now / sliceMs) * sliceMs;
  const starts = Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * sliceMs));
  return { starts, sliceMs };
}

export interface Sliced {
  /** The start of the slice. */
  from: Date;
}

/** @param to after the last counted moment */
type Count<Row extends Sliced> = (tenantId: TenantId, from: Date, to: Date, sliceMs: number) => Promise<Row[]>;

export function createPastSlices<Row extends Sliced>(count: Count<Row>) {
  const past = new LRUCache<string, Row[]>({
    maxSize: MAX_ROWS,
    sizeCalculation: (rows) => rows.length + 1,
    ttl: KEPT_MS,
  });

  /** @returns the rows of all slices, in order */
  return async function read(tenantId: TenantId, { starts, sliceMs }: Slices): Promise<Row[]> {
    const keyOf = (start: number) => `${tenantId} ${sliceMs} ${start}`;
    const found = new Map(starts.map((start) => [start.getTime(), past.get(keyOf(start.getTime()))]));
    const missing = [...found].filter(([, rows]) => rows === undefined).map(([start]) => start);
    const end = starts.at(-1)!.getTime() + sliceMs;
    let from = missing[0] ?? end;
    while (from < end) {
      const to = Math.min(from + Math.max(MAX_RANGE_MS, sliceMs), end);
      const bySlice = Map.groupBy(await count(tenantId, new Date(from), new Date(to), sliceMs), (row) =>
        row.from.getTime(),
      );
      for (; from < to; from += sliceMs) {
        const rows = bySlice.get(from) ?? [];
        found.set(from, rows);
        if (from + sliceMs + SETTLED_MS < Date.now()) past.set(keyOf(from), rows);
      }
    }
    return [...found.values()].flatMap((rows) => rows ?? []);
  };
}
