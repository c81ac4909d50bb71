// Shows how much of the organisation is kept, and what a shorter time would remove. Nothing is removed here.

import { GROWTH_DAYS } from "../data/index.ts";
import { DAY_MS } from "../platform/durations.ts";
import { countFilter, readAsked } from "../platform/http/query.ts";
import {
  ActionButton,
  durationInWords,
  EmptyState,
  find,
  SearchForm,
  Section,
  Table,
  Text,
  Time,
} from "../ui/index.ts";
import { BarChart, barOf, ChartTable, Day } from "./chart.tsx";
import { limitsSection } from "./limits.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "./page.tsx";
import { ORGANISATION } from "./registration-tokens.tsx";

type Kept = Awaited<ReturnType<ConsoleServices["readKept"]>>;
type KeptTable = Kept["tables"][number];

const DATA = "/settings/data";
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
  deliveries_open: "Open deliveries",
  temporal: "Workflows in Temporal",
};

const SERIES: { name: string; swatch: string; tables: KeptTable["name"][] }[] = [
  {
    name: "Log",
    swatch: "delivered",
    tables: ["events", "deliveries_closed", "deliveries_open", "attempts", "former_outcomes"],
  },
  { name: "Payloads and answers", swatch: "open", tables: ["payloads", "responses"] },
  { name: "Audit log", swatch: "cancelled", tables: ["audit_log"] },
  { name: "Temporal", swatch: "other", tables: ["temporal"] },
];

export function dataPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    { path: DATA, area: "Data", GET: on(["Settings:Read"], dataPage) },
    { path: `${DATA}/measure`, POST: on(["Settings:Update"], measure) },
  ];
}

async function measure({ measureNow }: ConsoleServices, visit: Visit): Promise<Response> {
  const isMeasured = await measureNow(visit.permitted("Settings:Update"));
  return visit.goTo(DATA, isMeasured ? "Measured." : "It was measured less than a minute ago.");
}

async function dataPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const read = () => readAsked({ Days: countFilter(MAX_DAYS, "") }, visit.url.searchParams).filters.Days;
  const found = await find(visit, FILTERS, async () => ({ Items: [read()], Next: null, Hidden: 0 }));
  const kept = await deps.readKept(visit.permitted("Settings:Read"));
  const { asOf, tables } = kept;
  const limits = await limitsSection(deps, visit);
  return {
    title: "Data",
    lead: (
      <span>
        <span safe>{`Kept data of ${visit.organisation}, and for how long it is kept`}</span>
        {!!asOf && (
          <>
            , as of <Time at={asOf} />
          </>
        )}
        .
      </span>
    ),
    status: found.status,
    actions: visit.may("Settings:Update") ? (
      <ActionButton visit={visit} action={`${DATA}/measure`} label="Measure now" />
    ) : undefined,
    body: (
      <>
        {tables.length === 0 ? (
          <EmptyState title="Totals are hidden from you">
            <p>Your policies hide some events and some of the audit log. Totals would count them.</p>
          </EmptyState>
        ) : asOf ? (
          <>
            <SearchForm visit={visit} filters={FILTERS} problems={found.problems} action="Count" />
            <Table caption="Kept data" columns={columns(kept, found.page.Items[0])} rows={tables} />
            <Growth kept={kept} />
            <Notes visit={visit} kept={kept} />
          </>
        ) : (
          <EmptyState title="Not measured yet">
            <p>A worker measures what is kept once an hour, and soon after its first start.</p>
          </EmptyState>
        )}
        {limits as "safe"}
      </>
    ),
  };
}

/** @param asked a time in days; a further column has what it would remove */
function columns(kept: Kept, asked: number | undefined) {
  const end = Date.now() - (asked ?? 0) * DAY_MS;
  return [
    { name: "Kind", cell: ({ name }: KeptTable) => <Text text={NAMES[name]} /> },
    { name: "Kept for", cell: (table: KeptTable) => <Text text={timeOf(table)} /> },
    { name: "Kept now", cell: (table: KeptTable) => <Text text={amountNow(table, kept)} /> },
    {
      name: "Oldest",
      cell: ({ days: [first] }: KeptTable) => (first ? <Day at={first.from} /> : <span class="none">none</span>),
    },
    ...(asked === undefined
      ? []
      : [
          {
            name: `Removed if kept for ${asked} d`,
            cell: ({ limit, name, days }: KeptTable) => (
              <Text
                text={limit && name !== "temporal" ? amountOf(days.filter(({ to }) => to.getTime() <= end)) : "none"}
              />
            ),
          },
        ]),
  ];
}

function timeOf({ name, limit, growth }: KeptTable): string {
  if (!limit) return "until they end";
  if (name === "temporal" && growth.length === 0) return "the retention of its namespace";
  return `${durationInWords(limit.ms)}, by ${limit.setting}`;
}

function amountNow({ name, days, growth }: KeptTable, { isOnDisk }: Kept): string {
  if (name !== "temporal") return amountOf(days);
  if (growth.length === 0) return "in your Temporal cluster";
  return isOnDisk ? sizeInWords(growth.at(-1)!.bytes) : "shared with other organisations";
}

/** @example "120,000 rows, 84 MB" */
function amountOf(days: KeptTable["days"]): string {
  const rows = days.reduce((sum, day) => sum + day.rows, 0);
  if (rows === 0) return "none";
  const bytes = days.reduce((sum, day) => sum + day.bytes, 0);
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}, ${sizeInWords(bytes)}`;
}

function sizeInWords(bytes: number): string {
  const [size, unit] = unitOf(bytes);
  return `${(bytes / size).toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit}`;
}

const unitOf = (bytes: number) => UNITS.find(([min]) => bytes >= min) ?? UNITS.at(-1)!;

const UNITS: [size: number, name: string][] = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

function Growth({ kept: { tables, asOf } }: { kept: Kept }): JSX.Element {
  const last = Math.floor(asOf!.getTime() / DAY_MS);
  const sizes = Array.from({ length: GROWTH_DAYS }, (_, index) => {
    const [from, to] = [1, 2].map((more) => new Date((last - GROWTH_DAYS + index + more) * DAY_MS)) as [Date, Date];
    const bytes = SERIES.map((series) => sum(tables, series.tables, from));
    return { from, to, bytes };
  });
  const total = (bytes: number[]) => bytes.reduce((whole, one) => whole + one, 0);
  // Whole numbers of at least three digits, if it is that much.
  const [size, unit] = unitOf(Math.max(...sizes.map(({ bytes }) => total(bytes))) / 1_000);
  const bars = sizes.map(({ bytes, ...slot }) =>
    barOf(
      slot,
      bytes.map((one) => Math.round(one / size)),
    ),
  );
  const series = SERIES.map((one, index) => ({ ...one, whole: bars.at(-1)!.counts[index]! }));
  const chart = { title: unit, series, bars, over: `kept at the end of each of the last ${GROWTH_DAYS} days, in UTC` };
  return (
    <Section title={`Kept on each of the last ${GROWTH_DAYS} days, in ${unit}`}>
      <BarChart {...chart} />
      <ChartTable {...chart} />
    </Section>
  );
}

function sum(tables: KeptTable[], names: KeptTable["name"][], day: Date): number {
  const of = ({ growth }: KeptTable) => growth.find((one) => one.day.getTime() === day.getTime())?.bytes ?? 0;
  return tables.reduce((whole, table) => whole + (names.includes(table.name) ? of(table) : 0), 0);
}

function Notes({ visit, kept: { isOnDisk } }: { visit: Visit; kept: Kept }): JSX.Element {
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
        {" A worker measures them once an hour."}
      </p>
    </Section>
  );
}
