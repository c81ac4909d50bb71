// Counts over time as stacked bars, drawn on the server, with a table for screen readers.

import type { Children } from "@kitajs/html";
import { attribute, type Column, Table, Text } from "../ui/index.ts";

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** The height in pixels. Horizontal positions are percentages, because the drawing fills the page. */
const HEIGHT = 220;
const BOTTOM = 24;
const TOP = 10;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
const GAP = 0.12;
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const LINES = 4;
const LABEL_EVERY = 4;

export interface Slot {
  from: Date;
  to: Date;
}

export interface Series {
  name: string;
  swatch: string;
  /** The total, if it differs from the sum of the bars. */
  whole?: number;
}

export interface Bar extends Slot {
  counts: number[];
  total: number;
}

export interface Ways {
  ofSlot(slot: Slot): string;
  ofSeries(name: string): string | undefined;
}

export function firstHour(now: number): Date {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS);
}

/** The displayed hours, including the current one. */
export function hoursSince(since: Date): Slot[] {
  return Array.from({ length: HOURS }, (_, index) => {
    const from = new Date(since.getTime() + index * HOUR_MS);
    return { from, to: new Date(from.getTime() + HOUR_MS) };
  });
}

/** The axis label of hourly charts. */
export const OVER_HOURS = `by the hour, the last ${HOURS} hours`;

/** @param counts one for each series */
export function barOf(slot: Slot, counts: number[]): Bar {
  return { ...slot, counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

export interface BarChartProps {
  title: string;
  series: readonly Series[];
  bars: readonly Bar[];
  over: string;
  ways?: Ways;
}

export function BarChart({ title, series, bars, over, ways }: BarChartProps): JSX.Element {
  const shown = shownSeries(series, bars);
  const words = shown.map(({ name, total }) => `${total.toLocaleString("en")} ${name}`).join(", ");
  const most = niceCeiling(Math.max(...bars.map(({ total }) => total)));
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {shown.map(({ name, swatch, total }) => (
            <LegendItem swatch={swatch} name={name} value={total.toLocaleString("en")} href={ways?.ofSeries(name)} />
          ))}
        </ul>
      </figcaption>
      <Plot slots={bars} most={most} scale={short} label={`${title} ${over}: ${words || "none"}.`} ways={ways}>
        {bars.map((bar, index) => (
          <BarOf series={series} bar={bar} place={placeOf(index, bars.length)} y={yOf(most)} href={ways?.ofSlot(bar)} />
        ))}
      </Plot>
    </figure>
  );
}

export interface LegendItemProps {
  swatch: string;
  name: string;
  value: string;
  href?: string;
}

export function LegendItem({ swatch, name, value, href }: LegendItemProps): JSX.Element {
  return (
    <li>
      <i class={`swatch ${swatch}`}></i>{" "}
      {href === undefined ? (
        <span safe>{name}</span>
      ) : (
        <a href={attribute(href)} safe>
          {name}
        </a>
      )}{" "}
      <strong safe>{value}</strong>
    </li>
  );
}

/** The chart's numbers as a table, collapsed by default. */
export function ChartTable({ title, series, bars, over, ways }: BarChartProps): JSX.Element {
  return (
    <details class="more">
      <summary>The same as a table</summary>
      <Table
        caption={`${title} ${over}`}
        columns={[slotColumn(ways), ...seriesColumns(series, bars)]}
        rows={bars.toReversed()}
      />
    </details>
  );
}

/** @param ways link targets; the bars are not keyboard-accessible, so the table repeats them */
export function slotColumn(ways: Ways | undefined): Column<Slot> {
  return {
    name: "From",
    cell: (slot) => {
      const { from } = slot;
      const moment = (
        <time datetime={from.toISOString()} data-show="moment" safe>
          {`${hourOf(from)} UTC`}
        </time>
      );
      if (!ways) return moment;
      return <a href={attribute(ways.ofSlot(slot))}>{moment as "safe"}</a>;
    },
  };
}

export function seriesColumns(series: readonly Series[], bars: readonly Bar[]): Column<Bar>[] {
  return shownSeries(series, bars).map(({ name, index }) => ({
    name,
    cell: ({ counts }) => <Text text={counts[index]!.toLocaleString("en")} />,
    numeric: true,
  }));
}

interface Shown extends Series {
  index: number;
  total: number;
}

function shownSeries(series: readonly Series[], bars: readonly Bar[]): Shown[] {
  return series
    .map((one, index) => ({
      ...one,
      index,
      total: one.whole ?? bars.reduce((sum, bar) => sum + bar.counts[index]!, 0),
    }))
    .filter(({ total }) => total > 0);
}

export interface PlotProps {
  slots: readonly Slot[];
  most: number;
  /** A value's label, at most five characters, because the margin is fixed. */
  scale(value: number): string;
  label: string;
  /** Mouse links; the table repeats them. */
  ways?: Ways;
  children: Children;
}

export function Plot({ slots, most, scale, label, ways, children }: PlotProps): JSX.Element {
  const y = yOf(most);
  const lines = Array.from({ length: LINES + 1 }, (_, index) => (most / LINES) * index);
  const words = { role: ways ? "group" : "img", "aria-label": attribute(label) } as const;
  return (
    <div class="drawing" {...words}>
      <svg class="counts" height={HEIGHT} aria-hidden="true">
        {lines.map((value) => (
          <text x="0" y={y(value) + 4} safe>
            {scale(value)}
          </text>
        ))}
      </svg>
      <svg class="plot" height={HEIGHT} aria-hidden="true">
        {lines.map((value) => (
          <line x1="0" x2="100%" y1={y(value)} y2={y(value)} />
        ))}
        {children as "safe"}
        {slots.map((slot, index) =>
          index % LABEL_EVERY === 0 ? <TimeLabel slot={slot} x={placeOf(index, slots.length).middle} /> : "",
        )}
      </svg>
    </div>
  );
}

/** Shows the time of an hourly slot, the day of a longer one. */
function TimeLabel({ slot: { from, to }, x }: { slot: Slot; x: number }): JSX.Element {
  const isHour = to.getTime() - from.getTime() <= HOUR_MS;
  const shared = { class: "hour", x: `${x}%`, y: HEIGHT - 6, datetime: from.toISOString() };
  return (
    <text {...shared} text-anchor="middle" data-show={isHour ? "hour" : "date"} safe>
      {isHour ? hourOf(from) : DATE.format(from)}
    </text>
  );
}

/** Maps a value to its distance from the top in pixels. */
export function yOf(most: number): (value: number) => number {
  return (value) => round(TOP + PLOT_HEIGHT - (value / most) * PLOT_HEIGHT);
}

export interface SlotPlace {
  left: number;
  width: number;
  middle: number;
}

export function placeOf(index: number, slots: number): SlotPlace {
  const step = 100 / slots;
  const gap = step * GAP;
  return { left: round(index * step + gap / 2), width: round(step - gap), middle: round((index + 0.5) * step) };
}

/** The link covers the slot's full height, because a short bar is hard to click. */
export function SlotLink({ place: { left, width }, href }: { place: SlotPlace; href: string }): JSX.Element {
  return (
    <a href={attribute(href)} tabindex="-1">
      <rect class="slot" x={`${left}%`} y={TOP} width={`${width}%`} height={PLOT_HEIGHT} />
    </a>
  );
}

interface BarProps {
  series: readonly Series[];
  bar: Bar;
  place: SlotPlace;
  y: (count: number) => number;
  href: string | undefined;
}

function BarOf({ series, bar, place, y, href }: BarProps): JSX.Element {
  let below = 0;
  return (
    <g>
      <title safe>{titleOf(series, bar)}</title>
      {series.map(({ swatch }, index) => {
        const count = bar.counts[index]!;
        if (count === 0) return "";
        const bottom = y(below);
        below += count;
        // Keeps a single failure among thousands visible.
        const height = round(Math.max(bottom - y(below), 1.5));
        return (
          <rect
            class={swatch}
            x={`${place.left}%`}
            y={round(bottom - height)}
            width={`${place.width}%`}
            height={height}
          />
        );
      })}
      {href === undefined ? "" : <SlotLink place={place} href={href} />}
    </g>
  );
}

function titleOf(series: readonly Series[], { from, counts }: Bar): string {
  const parts = series.flatMap(({ name }, index) => (counts[index] ? `${counts[index]} ${name}` : []));
  return `${DATE.format(from)}, ${hourOf(from)} UTC: ${parts.join(", ") || "none"}`;
}

/** Rounds up to 4, 8, 12, 20, 40, 80, 120 …, so a quarter is a whole number. */
export function niceCeiling(most: number): number {
  for (let size = 1; ; size *= 10) {
    for (const step of [4, 8, 12, 20]) if (step * size >= most) return step * size;
  }
}

/** At most five characters, because the margin is fixed. */
function short(count: number): string {
  return count.toLocaleString("en", { notation: count >= 10_000 ? "compact" : "standard" });
}

export const hourOf = (hour: Date) => hour.toISOString().slice(11, 16);
const round = (value: number) => Math.round(value * 100) / 100;
