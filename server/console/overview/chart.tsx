// Deliveries by the hour as stacked bars, drawn on the server; beside them the same as a table, for who does not see.

import type { DeliveryState } from "../../../workflows/contract.ts";
import { attribute, type Column, Table, Text } from "../../ui/index.ts";
import type { HourCount } from "./store.ts";

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** From the bottom of a bar to its top. */
const SERIES: { name: string; states: DeliveryState[] }[] = [
  { name: "Delivered", states: ["Delivered"] },
  { name: "Open", states: ["Pending", "Retrying"] },
  { name: "Held", states: ["Held"] },
  { name: "Cancelled", states: ["Cancelled"] },
  { name: "Exhausted", states: ["Exhausted"] },
];

/** Pixels from top to bottom; across, the drawing is as wide as the page lets it, and places are percents. */
const HEIGHT = 220;
const BOTTOM = 24;
const TOP = 10;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
const STEP = 100 / HOURS;
const GAP = 0.5;
const LINES = 4;
const LABEL_EVERY = 4;

interface Bar {
  hour: Date;
  /** In the order of SERIES. */
  counts: number[];
  total: number;
}

/** The beginning of the first hour that is shown. */
export function firstHour(now: number): Date {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS);
}

export function DeliveriesChart({ bars }: { bars: readonly Bar[] }): JSX.Element {
  const shown = shownSeries(bars);
  const words = shown.map(({ name, total }) => `${total.toLocaleString("en")} ${name}`).join(", ");
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {shown.map(({ name, total }) => (
            <li>
              <i class={`swatch ${name.toLowerCase()}`}></i> <span safe>{name}</span>{" "}
              <strong safe>{total.toLocaleString("en")}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <Drawing bars={bars} label={`Deliveries by the hour, the last ${HOURS} hours: ${words || "none"}.`} />
    </figure>
  );
}

/** The same in numbers; opened by who wants them. */
export function ChartTable({ bars }: { bars: readonly Bar[] }): JSX.Element {
  return (
    <details class="panel more">
      <summary>The same by the hour, as a table</summary>
      <Table
        caption="Deliveries by the hour and result"
        columns={columns(shownSeries(bars))}
        rows={bars.toReversed()}
      />
    </details>
  );
}

interface Shown {
  name: string;
  /** In SERIES. */
  index: number;
  total: number;
}

/** Those that there are any of. */
function shownSeries(bars: readonly Bar[]): Shown[] {
  return SERIES.map(({ name }, index) => ({
    name,
    index,
    total: bars.reduce((sum, bar) => sum + bar.counts[index]!, 0),
  })).filter(({ total }) => total > 0);
}

export function barsOf(counts: readonly HourCount[], since: Date): Bar[] {
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date(since.getTime() + index * HOUR_MS);
    const own = counts.filter((count) => count.hour.getTime() === hour.getTime());
    const sums = SERIES.map(({ states }) =>
      own.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + count, 0),
    );
    return { hour, counts: sums, total: sums.reduce((sum, count) => sum + count, 0) };
  });
}

function Drawing({ bars, label }: { bars: readonly Bar[]; label: string }): JSX.Element {
  const most = niceCeiling(Math.max(...bars.map(({ total }) => total)));
  const y = (count: number) => round(TOP + PLOT_HEIGHT - (count / most) * PLOT_HEIGHT);
  const lines = Array.from({ length: LINES + 1 }, (_, index) => (most / LINES) * index);
  return (
    <div class="drawing" role="img" aria-label={attribute(label)}>
      <svg class="counts" height={HEIGHT} aria-hidden="true">
        {lines.map((count) => (
          <text x="0" y={y(count) + 4} safe>
            {short(count)}
          </text>
        ))}
      </svg>
      <svg class="plot" height={HEIGHT} aria-hidden="true">
        {lines.map((count) => (
          <line x1="0" x2="100%" y1={y(count)} y2={y(count)} />
        ))}
        {bars.map((bar, index) => (
          <BarOf bar={bar} left={index * STEP + GAP / 2} y={y} />
        ))}
        {bars.map((bar, index) =>
          index % LABEL_EVERY === 0 ? (
            <text
              class="hour"
              x={`${round((index + 0.5) * STEP)}%`}
              y={HEIGHT - 6}
              text-anchor="middle"
              data-show="hour"
              datetime={bar.hour.toISOString()}
              safe
            >
              {hourOf(bar.hour)}
            </text>
          ) : (
            ""
          ),
        )}
      </svg>
    </div>
  );
}

interface BarProps {
  bar: Bar;
  /** Percent. */
  left: number;
  y: (count: number) => number;
}

function BarOf({ bar, left, y }: BarProps): JSX.Element {
  let below = 0;
  return (
    <g>
      <title safe>{titleOf(bar)}</title>
      {SERIES.map(({ name }, index) => {
        const count = bar.counts[index]!;
        if (count === 0) return "";
        const bottom = y(below);
        below += count;
        // A failure among thousands is still seen.
        const height = round(Math.max(bottom - y(below), 1.5));
        return (
          <rect
            class={name.toLowerCase()}
            x={`${round(left)}%`}
            y={round(bottom - height)}
            width={`${round(STEP - GAP)}%`}
            height={height}
          />
        );
      })}
    </g>
  );
}

function titleOf({ hour, counts }: Bar): string {
  const parts = SERIES.flatMap(({ name }, index) => (counts[index] ? `${counts[index]} ${name}` : []));
  return `${hourOf(hour)} UTC: ${parts.join(", ") || "none"}`;
}

function columns(shown: Shown[]): Column<Bar>[] {
  return [
    {
      name: "Hour from",
      cell: ({ hour }) => (
        <time datetime={hour.toISOString()} data-show="moment" safe>
          {`${hourOf(hour)} UTC`}
        </time>
      ),
    },
    ...shown.map(
      ({ name, index }): Column<Bar> => ({
        name,
        cell: ({ counts }) => <Text text={counts[index]!.toLocaleString("en")} />,
        numeric: true,
      }),
    ),
  ];
}

/** The next of 4, 8, 12, 20, 40, 80, 120 …: a quarter of it is a whole number. */
function niceCeiling(most: number): number {
  for (let size = 1; ; size *= 10) {
    for (const step of [4, 8, 12, 20]) if (step * size >= most) return step * size;
  }
}

/** Five characters at most: so wide is the margin. */
function short(count: number): string {
  return count.toLocaleString("en", { notation: count >= 10_000 ? "compact" : "standard" });
}

const hourOf = (hour: Date) => hour.toISOString().slice(11, 16);
const round = (value: number) => Math.round(value * 100) / 100;
