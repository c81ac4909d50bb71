// A connection's results over a day or a week in slices.

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/db/sql.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { orNull, time, uuid } from "../../platform/http/fields.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { HIDDEN_AS_NULL } from "../../records/index.ts";
import { countBySlice, type SliceCount, sampleAnswerTimes } from "./statistics.store.ts";

/** Supported time spans. Each slice is sampled from several starts, to cover its whole time; each gives `sample`. */
const SPANS = {
  "24h": { slices: 24, sliceMs: HOUR_MS, startsPerSlice: 4, sample: 25 },
  "7d": { slices: 28, sliceMs: 6 * HOUR_MS, startsPerSlice: 6, sample: 15 },
};
export type Span = keyof typeof SPANS;
export const SPAN_NAMES = Object.keys(SPANS) as Span[];

const count = (description: string) => Type.Integer({ format: "int32", minimum: 0, description });
const milliseconds = (description: string) => orNull(Type.Integer({ format: "int32", minimum: 0 }), { description });

const SLICE = Type.Object({
  From: time(),
  To: time("The start of the next one."),
  Delivered: count(
    "Deliveries that reached this state in this period, whatever happened later; likewise for the other states.",
  ),
  Exhausted: count(""),
  Held: count(""),
  Cancelled: count(""),
  Open: count("Still Pending or Retrying."),
  FailedAttempts: count("Failed attempts in this period, including those of deliveries that succeeded later."),
  P50Ms: milliseconds(
    "Median response time in milliseconds, for events of this period; null: no responses. Large numbers are " +
      "sampled.",
  ),
  P95Ms: milliseconds("The same for the 95th percentile."),
});

export const STATISTICS = Type.Object(
  {
    ConnectionId: uuid<ConnectionId>(),
    From: time(),
    To: time(),
    Slices: orNull(Type.Array(SLICE), {
      description: `Oldest first; ${HIDDEN_AS_NULL}`,
    }),
  },
  { $id: "WebhookConnectionStatistics" },
);
export type StatisticsRecord = Static<typeof STATISTICS>;
export type Slice = Static<typeof SLICE>;

export async function statisticsOf(
  sql: Sql,
  tenantId: TenantId,
  connectionId: ConnectionId,
  span: Span,
  seesAll: boolean,
): Promise<StatisticsRecord> {
  const { slices, sliceMs, startsPerSlice, sample } = SPANS[span];
  const last = Math.floor(Date.now() / sliceMs) * sliceMs;
  const since = last - (slices - 1) * sliceMs;
  const at = (index: number, stepMs: number) => new Date(since + index * stepMs);
  const starts = Array.from({ length: slices * startsPerSlice }, (_, index) => at(index, sliceMs / startsPerSlice));
  const record = {
    ConnectionId: connectionId,
    From: at(0, sliceMs).toISOString(),
    To: at(slices, sliceMs).toISOString(),
  };
  if (!seesAll) return { ...record, Slices: null };
  // Uses the tenant's share of the pool, because it scans a whole week.
  const [counts, times] = await sql.beginFor(tenantId, async (tx) => [
    await countBySlice(tx, tenantId, connectionId, at(0, sliceMs), sliceMs),
    await sampleAnswerTimes(tx, tenantId, connectionId, starts, startsPerSlice, sample),
  ]);
  const Slices = Array.from({ length: slices }, (_, index): Slice => {
    const answers = times.find(({ slice }) => slice === index);
    return {
      From: at(index, sliceMs).toISOString(),
      To: at(index + 1, sliceMs).toISOString(),
      ...countsOf(counts.filter(({ from }) => from.getTime() === at(index, sliceMs).getTime())),
      P50Ms: answers?.p50 ?? null,
      P95Ms: answers?.p95 ?? null,
    };
  });
  return { ...record, Slices };
}

function countsOf(counts: readonly SliceCount[]) {
  const sum = (...states: SliceCount["state"][]) =>
    counts.filter(({ state }) => states.includes(state)).reduce((total, one) => total + one.count, 0);
  return {
    Delivered: sum("Delivered"),
    Exhausted: sum("Exhausted"),
    Held: sum("Held"),
    Cancelled: sum("Cancelled"),
    Open: sum("Pending", "Retrying"),
    FailedAttempts: sum("Failed"),
  };
}

const HOUR = { Delivered: 118, Exhausted: 1, Held: 0, Cancelled: 0, Open: 2, FailedAttempts: 5, P50Ms: 41, P95Ms: 120 };

export const EXAMPLE_STATISTICS = {
  ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  From: "2026-01-30T13:00:00.000Z",
  To: "2026-01-31T13:00:00.000Z",
  Slices: [{ From: "2026-01-30T13:00:00.000Z", To: "2026-01-30T14:00:00.000Z", ...HOUR }],
};
