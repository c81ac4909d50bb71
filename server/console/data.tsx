// Shows how much of the organisation is kept, and what a shorter time would remove. Nothing is removed here.

import { countFilter, readAsked } from "../http/query.ts";
import type { KeptTable } from "../retention/index.ts";
import { durationInWords, EmptyState, find, SearchForm, Section, statusOf, Table, Text, Time } from "../ui/index.ts";
import { BarChart, barOf, ChartTable } from "./chart.tsx";
import type { ConsolePage, ConsoleServices, View } from "./page.tsx";
import { ORGANISATION } from "./registration-tokens.tsx";
import type { Visit } from "./visit.ts";

const DAY_MS = 86_400_000;
const CHART_DAYS = 30;
const MAX_DAYS = 36_500;
const FILTERS = [{ name: "Days", label: "If kept for days" }];

const NAMES: Record<KeptTable["name"], string> = {
  events: "Changes",
  deliveries_closed: "Ended deliveries",
  attempts: "Attempts",
  former_outcomes: "Outcomes before a redelivery",
  payloads: "Payloads",
  responses: "Answers of receivers",
  audit_log: "Audit log",
};

const SERIES: { name: string; swatch: string; tables: KeptTable["name"][] }[] = [
  { name: "Log", swatch: "delivered", tables: ["events", "deliveries_closed", "attempts", "former_outcomes"] },
  { name: "Payloads and answers", swatch: "open", tables: ["payloads", "responses"] },
  { name: "Audit log", swatch: "cancelled", tables: ["audit_log"] },
];

export function dataPages(deps: ConsoleServices): ConsolePage[] {
  const GET = { needs: ["Settings:Read"] as const, answer: (visit: Visit) => dataPage(deps, visit) };
  return [{ path: "/settings/data", area: "Data", GET }];
}

async function dataPage({ readKept }: ConsoleServices, visit: Visit): Promise<View> {
  const read = () => readAsked({ Days: countFilter(MAX_DAYS, "") }, visit.url.searchParams).filters.Days;
  const found = await find(visit, FILTERS, async () => ({ Items: [read()], Next: null }));
  const tables = await readKept(visit.permitted("Settings:Read"));
  return {
    title: "Data",
    lead: <span safe>{`Kept data of ${visit.organisation}, and for how long it is kept.`}</span>,
    status: statusOf(found),
    body:
      tables.length > 0 ? (
        <>
          <SearchForm visit={visit} filters={FILTERS} problems={found.problems} action="Count" />
          <Table caption="Kept data" columns={columns(found.page.Items[0])} rows={tables} />
          <Growth tables={tables} />
          <Notes visit={visit} isOnDisk={tables.some(({ isOnDisk }) => isOnDisk)} />
        </>
      ) : (
        <EmptyState title="No figures to see">
          <p>Your policies hide some events and some of the audit log, and figures would count them.</p>
        </EmptyState>
      ),
  };
}

/** @param asked a time in days; a further column has what it would remove */
function columns(asked: number | undefined) {
  const end = Date.now() - (asked ?? 0) * DAY_MS;
  return [
    { name: "Kind", cell: ({ name }: KeptTable) => <Text text={NAMES[name]} /> },
    {
      name: "Kept for",
      cell: ({ keptMs, setting }: KeptTable) => <Text text={`${durationInWords(keptMs)}, by ${setting}`} />,
    },
    { name: "Kept now", cell: (table: KeptTable) => <Text text={amountOf(table)} /> },
    {
      name: "Oldest",
      cell: ({ days: [first] }: KeptTable) => (first ? <Time at={first.from} day /> : <span class="none">none</span>),
    },
    ...(asked === undefined
      ? []
      : [
          {
            name: `Would go after ${asked} d`,
            cell: (table: KeptTable) => (
              <Text text={amountOf({ ...table, days: table.days.filter(({ to }) => to.getTime() <= end) })} />
            ),
          },
        ]),
  ];
}

/** @example "about 120,000 rows, 84 MB" */
function amountOf({ days, isExact }: KeptTable): string {
  const rows = Math.round(days.reduce((sum, day) => sum + day.rows, 0));
  const bytes = days.reduce((sum, day) => sum + day.bytes, 0);
  const [size, unit] = UNITS.find(([least]) => bytes >= least) ?? UNITS.at(-1)!;
  const weight = (bytes / size).toLocaleString("en", { maximumSignificantDigits: 3 });
  if (rows === 0) return "none";
  const count = `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
  return `${isExact ? "" : "about "}${count}, ${weight} ${unit}`;
}

const UNITS: [size: number, name: string][] = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

function Growth({ tables }: { tables: readonly KeptTable[] }): JSX.Element {
  const today = Math.floor(Date.now() / DAY_MS);
  const bars = Array.from({ length: CHART_DAYS }, (_, index) => {
    const [from, to] = [0, 1].map((more) => new Date((today + 1 - CHART_DAYS + index + more) * DAY_MS)) as [Date, Date];
    const kilobytes = SERIES.map((series) => {
      const days = tables.flatMap(({ name, days }) => (series.tables.includes(name) ? days : []));
      return Math.ceil(
        days.reduce((sum, day) => (day.from.getTime() === from.getTime() ? sum + day.bytes : sum), 0) / 1_000,
      );
    });
    return barOf({ from, to }, kilobytes);
  });
  const chart = { title: "Kilobytes", series: SERIES, bars, over: `by the day in UTC, the last ${CHART_DAYS} days` };
  return (
    <Section title={`Kilobytes kept of each of the last ${CHART_DAYS} days`}>
      <BarChart {...chart} />
      <ChartTable {...chart} />
    </Section>
  );
}

function Notes({ visit, isOnDisk }: { visit: Visit; isOnDisk: boolean }): JSX.Element {
  return (
    <Section title="How it ends">
      <p>
        Whole days, and whole months of the audit log, are removed within an hour after their time, in UTC. Open
        deliveries stay, with their changes and payloads; <a href={visit.href("/settings")}>Overview</a> counts those
        that are older.
      </p>
      <p>
        <a href={visit.href(ORGANISATION)}>Organisation</a> has RetentionDays. The other settings are the
        installation's; TEMPORAL_RETENTION is how long its Temporal keeps workflows that have ended.
      </p>
      <p>
        {isOnDisk
          ? "Sizes are on disk, with indexes."
          : "Sizes are of the rows alone, because others share the indexes."}
        {" “About” is an estimate by a sample of the rows."}
      </p>
    </Section>
  );
}
