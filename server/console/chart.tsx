// Counts over time as stacked bars, drawn on the server, with a table for screen readers.

import type { Children } from "@kitajs/html";
import { DAY_MS, HOUR_MS } from "../platform/durations.ts";
import { type Slices, slicesUntil } from "../platform/slices.ts";
import { attribute, type Column, Link, Table, Text } from "../ui/index.ts";

/** The height in pixels. Horizontal positions are percentages, because the drawing fills its column. */
const HEIGHT = 140;
const BOTTOM = 20;
const TOP = 10;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
const GAP = 0.12;
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const LONG_DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const MAX_LABELS = 7;

/** Periods up to now, by the value of `Last` in an address. */
export const SPANS = {
  "15m": { label: "15 min", slices: 15, sliceMs: 60_000, over: "by the minute, the last 15 minutes" },
  "1h": { label: "1 h", slices: 12, sliceMs: 5 * 60_000, over: "by five minutes, the last hour" },
  "24h": { label: "24 h", slices: 24, sliceMs: HOUR_MS, over: "by the hour, the last 24 hours" },
  "7d": { label: "7 d", slices: 28, sliceMs: 6 * HOUR_MS, over: "by six hours, the last 7 days" },
} as const;
export type SpanName = keyof typeof SPANS;

export function slicesOf(span: SpanName): Slices {
  return slicesUntil(Date.now(), SPANS[span].slices, SPANS[span].sliceMs);
}

export function slotsOf({ starts, sliceMs }: Slices): Slot[] {
  return starts.map((from) => ({ from, to: new Date(from.getTime() + sliceMs) }));
}

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

/** Targets of the links from a chart's bars and legend. */
export interface ChartLinks {
  ofSlot(slot: Slot): string;
  ofSeries(name: string): string | undefined;
}

const isDay = ({ from, to }: Slot) => to.getTime() - from.getTime() >= DAY_MS;

/** A day in UTC, which is not converted to the local time zone. */
export function Day({ at }: { at: Date }): JSX.Element {
  return (
    <time datetime={at.toISOString().slice(0, 10)} safe>
      {LONG_DATE.format(at)}
    </time>
  );
}

/** @param counts one for each series */
export function barOf(slot: Slot, counts: number[]): Bar {
  return { ...slot, counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

export interface BarChartProps<B extends Bar = Bar> {
  title: string;
  series: readonly Series[];
  bars: readonly B[];
  over: string;
  links?: ChartLinks;
}

export function BarChart({ title, series, bars, over, links }: BarChartProps): JSX.Element {
  const shown = shownSeries(series, bars).map(({ total, ...one }) => ({ ...one, value: total.toLocaleString("en") }));
  const words = shown.map(({ name, value }) => `${value} ${name}`).join(", ");
  const max = niceCeiling(Math.max(...bars.map(({ total }) => total)));
  const label = `${title} ${over}: ${words || "none"}.`;
  return (
    <Chart legend={shown.map((one) => ({ ...one, href: links?.ofSeries(one.name) }))}>
      <Plot slots={bars} max={max} scale={short} label={label} links={links} titleOf={(bar) => titleOf(series, bar)}>
        {bars.map((bar, index) => (
          <BarOf series={series} bar={bar} place={placeOf(index, bars.length)} y={yOf(max)} />
        ))}
      </Plot>
    </Chart>
  );
}

interface ChartSectionProps extends BarChartProps {
  id: string;
  /** Instead of a drawing without any count. */
  none?: string;
  /** After the drawing. */
  children?: Children;
}

/** A chart with its heading and table; without any count it is one line. */
export function ChartSection({ id, none = "None.", children = "", ...chart }: ChartSectionProps): JSX.Element {
  const isEmpty = chart.bars.every(({ total }) => total === 0);
  return (
    <section class={isEmpty ? "panel no-chart" : "panel"} id={id}>
      <h2 safe>{chart.title}</h2>
      {isEmpty ? (
        <p class="fine" safe>
          {none}
        </p>
      ) : (
        <>
          <BarChart {...chart} />
          <ChartTable {...chart} />
        </>
      )}
      {children as "safe"}
    </section>
  );
}

/** A line of counts without axes. The chart of the same counts has them as text. */
export function Sparkline({ counts, isBad }: { counts: readonly number[]; isBad?: boolean }): JSX.Element {
  const max = Math.max(1, ...counts);
  const points = counts.map((count, index) => `${index},${round(20 - (count / max) * 18)}`).join(" ");
  return (
    <svg
      class={isBad ? "spark bad" : "spark"}
      viewBox={`0 0 ${counts.length - 1} 21`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points} />
    </svg>
  );
}

export interface ChartProps {
  legend: readonly { swatch: string; name: string; value: string; href?: string }[];
  class?: string;
  children: Children;
}

export function Chart({ legend, class: kind = "chart", children }: ChartProps): JSX.Element {
  return (
    <figure class={kind}>
      <figcaption>
        <ul class="legend">
          {legend.map(({ swatch, name, value, href }) => (
            <li>
              <i class={`swatch ${swatch}`}></i>{" "}
              {href === undefined ? <Text text={name} /> : <Link href={href} text={name} />}{" "}
              <strong safe>{value}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      {children as "safe"}
    </figure>
  );
}

interface ChartTableProps<B extends Bar> extends BarChartProps<B> {
  /** Columns beside those of the series. */
  more?: Column<B>[];
}

export function ChartTable<B extends Bar>(props: ChartTableProps<B>): JSX.Element {
  const { title, series, bars, over, links, more = [] } = props;
  return (
    <details class="more">
      <summary>The same as a table</summary>
      <Table
        caption={`${title} ${over}`}
        columns={[slotColumn(bars[0], links), ...seriesColumns(series, bars), ...more]}
        rows={bars.toReversed()}
      />
    </details>
  );
}

/** @param links their targets; the bars are not keyboard-accessible, so the table repeats them */
function slotColumn(first: Slot | undefined, links: ChartLinks | undefined): Column<Slot> {
  return {
    name: first && isDay(first) ? "Day" : "From",
    cell: (slot) => {
      const { from } = slot;
      const moment = isDay(slot) ? (
        <Day at={from} />
      ) : (
        <time datetime={from.toISOString()} data-show="moment" safe>
          {`${hourOf(from)} UTC`}
        </time>
      );
      if (!links) return moment;
      return <a href={attribute(links.ofSlot(slot))}>{moment as "safe"}</a>;
    },
  };
}

function seriesColumns(series: readonly Series[], bars: readonly Bar[]): Column<Bar>[] {
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

export interface PlotProps<S extends Slot> {
  slots: readonly S[];
  max: number;
  /** A value's label, at most five characters, because the margin is fixed. */
  scale(value: number): string;
  label: string;
  /** Mouse links of the slots; the table repeats them. */
  links?: ChartLinks;
  titleOf(slot: S): string;
  children: Children;
}

export function Plot<S extends Slot>(props: PlotProps<S>): JSX.Element {
  const { slots, max, scale, label, links, titleOf, children } = props;
  const y = yOf(max);
  const lines = max === 1 ? [0, 1] : [0, max / 2, max];
  const labelEvery = Math.ceil(slots.length / MAX_LABELS);
  const words = { role: links ? "group" : "img", "aria-label": attribute(label) } as const;
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
        {slots.map((slot, index) => (
          <SlotOf title={titleOf(slot)} place={placeOf(index, slots.length)} href={links?.ofSlot(slot)} />
        ))}
        {slots.map((slot, index) =>
          index % labelEvery === 0 ? <TimeLabel slot={slot} x={placeOf(index, slots.length).middle} /> : "",
        )}
      </svg>
    </div>
  );
}

function TimeLabel({ slot: { from, to }, x }: { slot: Slot; x: number }): JSX.Element {
  const isHour = to.getTime() - from.getTime() <= HOUR_MS;
  const shared = { class: "hour", x: percent(x), y: HEIGHT - 6, datetime: from.toISOString() };
  const show = isDay({ from, to }) ? undefined : isHour ? "hour" : "date";
  return (
    <text {...shared} text-anchor="middle" data-show={show} safe>
      {isHour ? hourOf(from) : DATE.format(from)}
    </text>
  );
}

/** Maps a value to its distance from the top in pixels. */
export function yOf(max: number): (value: number) => number {
  return (value) => round(TOP + PLOT_HEIGHT - (value / max) * PLOT_HEIGHT);
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

/** The area covers the slot's full height, because a short bar is hard to click. */
function SlotOf({ title, place, href }: { title: string; place: SlotPlace; href: string | undefined }): JSX.Element {
  const area = <rect class="slot" x={percent(place.left)} y={TOP} width={percent(place.width)} height={PLOT_HEIGHT} />;
  return (
    <g>
      <title safe>{title}</title>
      {
        (href === undefined ? (
          area
        ) : (
          <a href={attribute(href)} tabindex="-1">
            {area as "safe"}
          </a>
        )) as "safe"
      }
    </g>
  );
}

interface BarProps {
  series: readonly Series[];
  bar: Bar;
  place: SlotPlace;
  y: (count: number) => number;
}

function BarOf({ series, bar, place, y }: BarProps): JSX.Element {
  let below = 0;
  return (
    <>
      {series.map(({ swatch }, index) => {
        const count = bar.counts[index]!;
        if (count === 0) return "";
        const bottom = y(below);
        below += count;
        // Keeps a single failure among thousands visible.
        const height = round(Math.max(bottom - y(below), 1.5));
        const [x, width] = [percent(place.left), percent(place.width)];
        return <rect class={swatch} x={x} y={round(bottom - height)} width={width} height={height} />;
      })}
    </>
  );
}

function titleOf(series: readonly Series[], { from, to, counts }: Bar): string {
  const parts = series.flatMap(({ name }, index) => (counts[index] ? `${counts[index]} ${name}` : []));
  const hour = isDay({ from, to }) ? "" : `, ${hourOf(from)} UTC`;
  return `${DATE.format(from)}${hour}: ${parts.join(", ") || "none"}`;
}

/** Rounds up to 1, 2, 4, 6, 8, 10, 20, 40 …, so that bars fill the drawing and a half is a whole number. */
export function niceCeiling(max: number): number {
  if (max <= 1) return 1;
  for (let size = 1; ; size *= 10) {
    for (const step of [2, 4, 6, 8, 10]) if (step * size >= max) return step * size;
  }
}

/** At most five characters, because the margin is fixed. */
function short(count: number): string {
  return count.toLocaleString("en", { notation: count >= 10_000 ? "compact" : "standard" });
}

export const hourOf = (hour: Date) => hour.toISOString().slice(11, 16);
const round = (value: number) => Math.round(value * 100) / 100;
export const percent = (value: number) => `${round(value)}%`;
