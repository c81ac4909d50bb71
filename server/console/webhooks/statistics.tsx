// A connection's results over time: outcomes of deliveries and response times.

import type { DeliveryState } from "../../../workflows/contract.ts";
import { type Column, LinkBar, Section } from "../../ui/index.ts";
import { SPAN_NAMES, type StatisticsRecord } from "../../webhooks/index.ts";
import { duration } from "../activity/requests-and-responses.tsx";
import {
  type Bar,
  BarChart,
  type BarChartProps,
  Chart,
  type ChartLinks,
  ChartTable,
  hourOf,
  niceCeiling,
  Plot,
  percent,
  placeOf,
  yOf,
} from "../chart.tsx";
import type { Visit } from "../visit.ts";
import { DELIVERIES, deliveriesBar, outcomeFilter, stateFilter } from "./deliveries.ts";

type Span = (typeof SPAN_NAMES)[number];
type Slice = NonNullable<StatisticsRecord["Slices"]>[number];

export function spanOf({ url }: Visit): Span {
  return SPAN_NAMES.find((name) => name === url.searchParams.get("Last")) ?? "24h";
}

interface StatisticsBar extends Bar {
  slice: Slice;
}

export interface StatisticsProps {
  visit: Visit;
  span: Span;
  statistics: StatisticsRecord;
}

export function Statistics({ visit, span, statistics }: StatisticsProps): JSX.Element {
  const { ConnectionId, Slices } = statistics;
  if (Slices === null) return "";
  const bars = Slices.map((slice): StatisticsBar => ({ ...deliveriesBar(slotOf(slice), countIn(slice)), slice }));
  const log = `/settings/activity?ConnectionId=${ConnectionId}`;
  const links: ChartLinks = {
    ofSlot: (slot) => visit.href(`${log}&${outcomeFilter(slot)}`),
    ofSeries: (name) => visit.href(`${log}&${stateFilter(name, bars[0]!.from)}`),
  };
  const over = span === "24h" ? "by the hour, the last 24 hours" : "by six hours, the last 7 days";
  return (
    <Section title="Deliveries and answer times" id="statistics">
      <LinkBar
        label="Time of the charts"
        links={SPAN_NAMES.map((name) => ({
          text: name === "24h" ? "24 h" : "7 days",
          href: visit.href(`/settings/webhooks/${ConnectionId}?Last=${name}#statistics`),
          isCurrent: name === span,
        }))}
      />
      <div class="charts">
        <BarChart title="Deliveries" series={DELIVERIES} bars={bars} over={over} links={links} />
        <AnswerTimes bars={bars} over={over} links={links} />
      </div>
      <ChartTable
        title="Deliveries and answer times"
        series={DELIVERIES}
        bars={bars}
        over={over}
        links={links}
        more={[timeColumn("p50", "P50Ms"), timeColumn("p95", "P95Ms")]}
      />
    </Section>
  );
}

function slotOf({ From, To }: Slice) {
  return { from: new Date(From), to: new Date(To) };
}

function countIn({ Delivered, Exhausted, Held, Cancelled, Open }: Slice) {
  const counts = { Delivered, Exhausted, Held, Cancelled, Pending: Open, Retrying: 0 };
  return (state: DeliveryState) => counts[state];
}

const TIMES = [
  { name: "p95", field: "P95Ms" },
  { name: "p50", field: "P50Ms" },
] as const;
type TimeField = (typeof TIMES)[number]["field"];

function timeColumn(name: string, field: TimeField): Column<StatisticsBar> {
  return {
    name,
    cell: ({ slice }) => {
      const value = slice[field];
      return value === null ? <span class="none">none</span> : <span safe>{duration(value)}</span>;
    },
    numeric: true,
  };
}

/** Lines for the median and the 95th percentile; gaps where there was no response. */
function AnswerTimes({ bars, over, links }: Omit<BarChartProps<StatisticsBar>, "title" | "series">): JSX.Element {
  const known = bars.filter(({ slice }) => slice.P95Ms !== null);
  if (known.length === 0) return "";
  const max = niceCeiling(Math.max(...known.map(({ slice }) => slice.P95Ms!)));
  const worst = (field: TimeField) => duration(Math.max(...known.map(({ slice }) => slice[field]!)));
  const label = `Answer times ${over}: p50 at most ${worst("P50Ms")}, p95 at most ${worst("P95Ms")}.`;
  const legend = TIMES.map(({ name, field }) => ({
    swatch: name,
    name: `Answer time, ${name}`,
    value: `at most ${worst(field)}`,
  }));
  return (
    <Chart legend={legend}>
      <Plot slots={bars} max={max} scale={shortDuration} label={label} links={links} titleOf={timesOf}>
        {TIMES.map(({ name, field }) =>
          timeLine(
            name,
            bars.map(({ slice }) => slice[field]),
            yOf(max),
          ),
        )}
      </Plot>
    </Chart>
  );
}

function timeLine(name: string, values: readonly (number | null)[], y: (value: number) => number): JSX.Element {
  const x = (index: number) => percent(placeOf(index, values.length).middle);
  return (
    <g class={name}>
      {values.map((value, index) => {
        const next = values[index + 1] ?? null;
        if (value === null || next === null) return "";
        return <line class="answer" x1={x(index)} x2={x(index + 1)} y1={y(value)} y2={y(next)} />;
      })}
      {values.map((value, index) => (value === null ? "" : <circle cx={x(index)} cy={y(value)} r="2.5" />))}
    </g>
  );
}

function timesOf({ from, slice }: StatisticsBar): string {
  const { P50Ms, P95Ms } = slice;
  const words = P50Ms === null || P95Ms === null ? "none" : `p50 ${duration(P50Ms)}, p95 ${duration(P95Ms)}`;
  return `${hourOf(from)} UTC: ${words}`;
}

/** At most five characters: `300ms`, `1.2s`, `30s`. */
function shortDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}ms`;
  const seconds = milliseconds / 1_000;
  return `${seconds < 10 ? seconds.toFixed(1).replace(/\.0$/, "") : Math.round(seconds)}s`;
}
