// Shared by the parts of Overview: the chosen period, and the hours of the figures.

import { type Sliced, type Slices, slicesUntil } from "../../platform/slices.ts";
import { type Slot, SPANS, type SpanName, slicesOf, slotsOf } from "../chart.tsx";
import type { Figure } from "../figures.tsx";
import type { Visit } from "../visit.ts";

export interface OverviewPart {
  lead?: JSX.Element;
  /** Problems, or an explanation of why nothing is shown. */
  body?: JSX.Element;
  /** Whether a delivery has arrived lately; undefined: not known. */
  hasDelivered?: boolean;
  figures?: Figure[];
  charts?: JSX.Element;
}

export interface Period {
  /** Of the charts; also the value of `Last` in logs. */
  span: SpanName;
  slices: Slices;
  slots: Slot[];
  over: string;
  /** The 48 hours of the figures: the last 24, and those before. */
  hours: Slices;
}

const HOURS = 48;
const HOUR_MS = 3_600_000;

export function periodOf({ url }: Visit): Period {
  const asked = url.searchParams.get("Last") ?? "";
  const span = Object.hasOwn(SPANS, asked) ? (asked as SpanName) : "24h";
  const slices = slicesOf(span);
  return {
    span,
    slices,
    slots: slotsOf(slices),
    over: SPANS[span].over,
    hours: slicesUntil(Date.now(), HOURS, HOUR_MS),
  };
}

/** The start of the last 24 hours. */
export const sinceOf = ({ hours }: Period) => hours.starts[HOURS / 2]!;

/** The sum of a count in each hour of the figures. */
export function byHour<Row extends Sliced>({ hours }: Period, rows: readonly Row[], count: (row: Row) => number) {
  const sums = new Map<number, number>();
  for (const row of rows) sums.set(row.from.getTime(), (sums.get(row.from.getTime()) ?? 0) + count(row));
  return hours.starts.map((start) => sums.get(start.getTime()) ?? 0);
}
