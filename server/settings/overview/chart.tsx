// Deliveries by the hour as stacked bars, drawn on the server; beside them the same as a table, for who does not see.

import type { DeliveryState } from "../../../workflows/contract.ts";
import { type Column, Table, Text } from "../components/index.ts";
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

/** Units of the drawing; its size is the page's matter. */
const WIDTH = 960;
const HEIGHT = 200;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 8;
const PLOT_WIDTH = WIDTH - LEFT;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
const GAP = 4;
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

export function DeliveriesChart({ counts, since }: { counts: readonly HourCount[]; since: Date }): JSX.Element {
  const bars = barsOf(counts, since);
  const totals = SERIES.map((_, index) => bars.reduce((sum, bar) => sum + bar.counts[index]!, 0));
  const shown = SERIES.map((series, index) => ({ ...series, index })).filter(({ index }) => totals[index]! > 0);
  const words = shown.map(({ name, index }) => `${totals[index]!.toLocaleString("en")} ${name}`).join(", ");
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {shown.map(({ name, index }) => (
            <li>
              <i class={`swatch ${name.toLowerCase()}`}></i>
              <span safe>{name}</span> <strong safe>{totals[index]!.toLocaleString("en")}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <Drawing bars={bars} label={`Deliveries by the hour, the last ${HOURS} hours: ${words || "none"}.`} />
      <details>
        <summary>As a table</summary>
        <Table caption="Deliveries by the hour and result" columns={columns(shown)} rows={bars.toReversed()} />
      </details>
    </figure>
  );
}

function barsOf(counts: readonly HourCount[], since: Date): Bar[] {
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date(since.getTime() + index * HOUR_MS);
    const own = counts.filter((count) => count.hour.getTime() === hour.getTime());
    const sums = SERIES.map(({ states }) =>
      own.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + count, 0),
    );
    return { hour, counts: sums, total: sums.reduce((sum, count) => sum + count, 0) };
  });
}

function Drawing({ bars, label }: { bars: Bar[]; label: string }): JSX.Element {
  const most = niceCeiling(Math.max(...bars.map(({ total }) => total)));
  const y = (count: number) => TOP + PLOT_HEIGHT - (count / most) * PLOT_HEIGHT;
  const step = PLOT_WIDTH / HOURS;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {Array.from({ length: LINES + 1 }, (_, index) => (most / LINES) * index).map((count) => (
        <g class="grid">
          <line x1={LEFT} x2={WIDTH} y1={round(y(count))} y2={round(y(count))} />
          <text x={LEFT - 8} y={round(y(count) + 4)} text-anchor="end" safe>
            {short(count)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <>
          <BarOf bar={bar} x={LEFT + index * step + GAP / 2} width={step - GAP} y={y} />
          {index % LABEL_EVERY === 0 ? (
            <text
              class="hour"
              x={round(LEFT + (index + 0.5) * step)}
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
          )}
        </>
      ))}
    </svg>
  );
}

interface BarProps {
  bar: Bar;
  x: number;
  width: number;
  y: (count: number) => number;
}

function BarOf({ bar, x, width, y }: BarProps): JSX.Element {
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
        const height = Math.max(bottom - y(below), 1.5);
        return (
          <rect
            class={name.toLowerCase()}
            x={round(x)}
            y={round(bottom - height)}
            width={round(width)}
            height={round(height)}
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

function columns(shown: { name: string; index: number }[]): Column<Bar>[] {
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

function short(count: number): string {
  return count >= 10_000 ? `${(count / 1_000).toLocaleString("en")}k` : count.toLocaleString("en");
}

const hourOf = (hour: Date) => hour.toISOString().slice(11, 16);
const round = (value: number) => Math.round(value * 10) / 10;
