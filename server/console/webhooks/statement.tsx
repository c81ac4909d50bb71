// Statements: whether a connection, or all of them, got every event of a period.

import { exportResponse, formatFilter } from "../../platform/http/export.ts";
import { readAsked } from "../../platform/http/query.ts";
import {
  ButtonLink,
  type Column,
  inRange,
  Link,
  LinkBar,
  ListSection,
  refusedForm,
  SearchForm,
  Section,
  Sentence,
  Text,
  Time,
} from "../../ui/index.ts";
import type { StatementRecord } from "../../webhooks/index.ts";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import { Exports } from "../records/records.tsx";
import { mayRedeliver } from "./connection.tsx";
import { ABOVE, CONNECTIONS } from "./save.tsx";

export const STATEMENT = "/settings/statement";
const READ = ["Webhooks:Read"] as const;
const MINUTE_MS = 60_000;

const WORDS = {
  FirstAttempt: "Delivered at the first attempt",
  Retried: "Delivered after retries",
  SentAgain: "Delivered after it was sent again",
  Open: "Waiting",
  Held: "Held",
  Exhausted: "Given up (Exhausted)",
  Cancelled: "Cancelled",
};
type Stated = keyof typeof WORDS;
type StatedConnection = StatementRecord["Connections"][number];
const STATED = Object.keys(WORDS) as Stated[];
/** States of deliveries that have not arrived. */
const MISSING = ["Open", "Held", "Exhausted", "Cancelled"] as const;

export function statementPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    { path: `${CONNECTIONS}/:id/statement`, tab: "Statement", GET: on(READ, ofConnection) },
    { path: STATEMENT, GET: { needs: READ, answer: (visit) => page(deps, visit, "Statement of all connections", {}) } },
    { path: `${STATEMENT}/export`, GET: on(READ, exportFile) },
    { path: `${STATEMENT}/certificate.jwt`, GET: on(READ, certificateFile) },
  ];
}

async function ofConnection(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { record } = await deps.connections.read(visit.caller, visit.params.id!);
  const redeliver = mayRedeliver(visit, record) ? `${CONNECTIONS}/${record.Id}/redeliver` : undefined;
  return page(deps, visit, titleOfConnection(record), { ConnectionId: record.Id, redeliver });
}

async function exportFile({ statements }: ConsoleServices, visit: Visit): Promise<Response> {
  const { filters } = readAsked({ ...statements.filters, Format: formatFilter }, visit.url.searchParams);
  const { Format, ...filter } = filters;
  return exportResponse(await statements.export(visit.caller, filter, Format));
}

async function certificateFile({ statements }: ConsoleServices, visit: Visit): Promise<Response> {
  const { filters } = readAsked(statements.filters, visit.url.searchParams);
  const { Certificate } = await statements.certify(visit.caller, filters);
  const body = new Blob([Certificate]).stream();
  return exportResponse({ type: "application/jwt", fileName: "statement.jwt", body });
}

const FIELDS = [
  { name: "From", label: "Events from", type: "datetime-local" as const },
  { name: "To", label: "Before", type: "datetime-local" as const },
];

interface Of {
  ConnectionId?: string;
  redeliver?: string | undefined;
}

async function page(deps: ConsoleServices, visit: Visit, title: string, of: Of): Promise<View | Response> {
  const { pathname, searchParams } = visit.url;
  if (!searchParams.get("From")) return visit.goTo(`${pathname}?${periodOf(60)}`);
  const asked = new URLSearchParams([
    ...inRange(searchParams),
    ...Object.entries({ ConnectionId: of.ConnectionId ?? "" }),
  ]);
  const found = await read(deps, visit, asked);
  const form = "problem" in found ? found : undefined;
  return {
    title,
    above: ABOVE,
    status: form ? 400 : 200,
    body: (
      <>
        <Periods visit={visit} />
        <SearchForm visit={visit} filters={FIELDS} problems={form} action="Show" />
        {"Owed" in found && statementSection(visit, found, asked, of.redeliver)}
      </>
    ),
  };
}

async function read({ statements }: ConsoleServices, visit: Visit, asked: URLSearchParams) {
  try {
    return await statements.read(visit.caller, readAsked(statements.filters, asked).filters);
  } catch (error) {
    return refusedForm(visit.url.searchParams, error, ["From", "To"]);
  }
}

/** The last minutes, from a whole minute to the next one. */
function periodOf(minutes: number): URLSearchParams {
  const end = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  const at = (time: number) => new Date(time).toISOString();
  return new URLSearchParams({ From: at(end - minutes * MINUTE_MS), To: at(end) });
}

const PERIODS = [
  [15, "15 min"],
  [60, "1 h"],
  [1_440, "24 h"],
  [10_080, "7 days"],
] as const;

function Periods({ visit }: { visit: Visit }): JSX.Element {
  const hrefOf = (minutes: number) => visit.href(`${visit.url.pathname}?${periodOf(minutes)}`);
  return <LinkBar label="Time" links={PERIODS.map(([minutes, text]) => ({ text, href: hrefOf(minutes) }))} />;
}

function statementSection(
  visit: Visit,
  statement: StatementRecord,
  parameters: URLSearchParams,
  redeliver: string | undefined,
): JSX.Element {
  const { Owed, Exhausted, Connections, ConnectionId, AsOf, Closed, Complete } = statement;
  const rows = STATED.filter((stated) => statement[stated].Count > 0);
  const missing = MISSING.some((stated) => statement[stated].Count > 0);
  return (
    <>
      <div class={missing ? "warning" : "notice"} role="status">
        <p>
          <strong>
            <Sentence text={verdictOn(statement)} />
          </strong>
        </p>
        {Closed ? "" : <p>The period ended less than a minute ago, or has not ended: more events may join it.</p>}
        {Complete ? "" : <p>Events and connections that no policy lets you see are not counted.</p>}
        {Exhausted.Count > 0 && !!redeliver && (
          <div class="buttons">
            <ButtonLink
              href={visit.href(`${redeliver}?${new URLSearchParams({ From: Exhausted.FirstEvent! })}`)}
              label="Send them again"
            />
          </div>
        )}
      </div>
      <ListSection
        title={`${inWords(Owed.Count)} by outcome`}
        caption="Deliveries by outcome"
        columns={columns(visit, statement)}
        rows={rows}
      />
      {ConnectionId === null && (
        <ListSection
          title="By connection"
          caption="Deliveries by connection"
          columns={connectionColumns(visit)}
          rows={Connections}
        />
      )}
      <Section
        title="As proof"
        buttons={
          <>
            <Exports visit={visit} path={`${STATEMENT}/export`} parameters={parameters} />
            <ButtonLink href={visit.href(`${STATEMENT}/certificate.jwt?${parameters}`)} label="Signed statement" />
          </>
        }
      >
        <p>
          Counted in one snapshot at <Time at={AsOf} />, without pings and tests. The file has each delivery with its
          outcome. The signed statement is a JWT that anyone can verify with the key set.
        </p>
      </Section>
    </>
  );
}

const inWords = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "event" : "events"}`;

function verdictOn(statement: StatementRecord): string {
  const { Owed, FirstAttempt, Retried, SentAgain, Closed } = statement;
  if (Owed.Count === 0) return "No event of this period was to be delivered.";
  const missing = MISSING.filter((stated) => statement[stated].Count > 0);
  if (missing.length === 0) {
    const last = [FirstAttempt, Retried, SentAgain]
      .map(({ LastReached }) => LastReached ?? "")
      .toSorted()
      .at(-1);
    const all = Owed.Count === 1 ? "The one event was" : `All ${inWords(Owed.Count)} were`;
    return `${Closed ? "Yes, everything" : "Everything so far"} arrived. ${all} delivered, the last at ${last}.`;
  }
  const counts = missing.map((stated) => `${statement[stated].Count.toLocaleString("en")} ${LOST[stated]}`);
  const count = missing.reduce((sum, stated) => sum + statement[stated].Count, 0);
  const isOver = statement.Exhausted.Count + statement.Cancelled.Count > 0;
  const of = `${count.toLocaleString("en")} of ${inWords(Owed.Count)}`;
  return `${isOver ? "No" : "Not yet"}: ${of} ${count === 1 ? "was" : "were"} not delivered (${counts.join(", ")}).`;
}

const LOST = { Open: "waiting", Held: "held", Exhausted: "given up", Cancelled: "cancelled" };

function columns(visit: Visit, statement: StatementRecord): Column<Stated>[] {
  const span = (name: string, first: "FirstEvent" | "FirstReached", last: "LastEvent" | "LastReached") => ({
    name,
    cell(stated: Stated) {
      const { [first]: from, [last]: to } = statement[stated];
      if (!from || !to) return <span class="none">not yet</span>;
      return (
        <>
          <Time at={from} />
          {from !== to && <br />}
          {from !== to && <Time at={to} />}
        </>
      );
    },
  });
  return [
    { name: "Outcome", cell: (stated) => <Text text={WORDS[stated]} /> },
    { name: "Events", cell: (stated) => countOf(visit, statement, stated), numeric: true },
    span("First and last event", "FirstEvent", "LastEvent"),
    span("First and last outcome", "FirstReached", "LastReached"),
  ];
}

/** Links to those that have not arrived, in the activity log. */
function countOf(visit: Visit, statement: StatementRecord, stated: Stated): JSX.Element {
  const text = statement[stated].Count.toLocaleString("en");
  if (!MISSING.some((one) => one === stated)) return <Text text={text} />;
  const { From, To, ConnectionId } = statement;
  const filter = { State: stated, From, To, ...(ConnectionId && { ConnectionId }) };
  return <Link href={visit.href(`/settings/activity?${new URLSearchParams(filter)}`)} text={text} />;
}

function connectionColumns(visit: Visit): Column<StatedConnection>[] {
  const count = (name: "Owed" | "Delivered" | (typeof MISSING)[number], title: string = name) => ({
    name: title,
    cell: (row: StatedConnection) => <Text text={row[name].toLocaleString("en")} />,
    numeric: true,
  });
  return [
    {
      name: "Connection",
      cell: ({ ConnectionId, ConnectionName }) => (
        <Link
          href={visit.href(`${CONNECTIONS}/${ConnectionId}/statement?${new URLSearchParams(visit.url.searchParams)}`)}
          text={ConnectionName || ConnectionId}
        />
      ),
    },
    count("Owed", "Events"),
    count("Delivered"),
    count("Open", "Waiting"),
    count("Held"),
    count("Exhausted", "Given up"),
    count("Cancelled"),
  ];
}
