// Statements: whether a connection, or all of them, got every event of a period.

import { exportResponse, formatFilter } from "../../platform/http/export.ts";
import { readAsked } from "../../platform/http/query.ts";
import {
  ButtonLink,
  type Column,
  inRange,
  refusedForm,
  SearchForm,
  Section,
  Sentence,
  Table,
  Text,
  Time,
} from "../../ui/index.ts";
import type { StatementRecord } from "../../webhooks/index.ts";
import type { ConsolePage, ConsoleServices, View } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import { Exports } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { mayRedeliver } from "./connection.tsx";
import { CONNECTIONS } from "./save.tsx";

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
  const filtersOf = (visit: Visit) => readAsked(deps.statements.filters, visit.url.searchParams).filters;
  return [
    {
      path: `${CONNECTIONS}/:id/statement`,
      tab: "Statement",
      GET: {
        needs: READ,
        async answer(visit) {
          const { record } = await deps.connections.read(visit.caller, visit.params.id!);
          const redeliver = mayRedeliver(visit, record) ? `${CONNECTIONS}/${record.Id}/redeliver` : undefined;
          return page(deps, visit, titleOfConnection(record), { ConnectionId: record.Id, redeliver });
        },
      },
    },
    { path: STATEMENT, GET: { needs: READ, answer: (visit) => page(deps, visit, "Statement of all connections", {}) } },
    {
      path: `${STATEMENT}/export`,
      GET: {
        needs: READ,
        async answer(visit) {
          const asked = readAsked({ ...deps.statements.filters, Format: formatFilter }, visit.url.searchParams);
          const { Format, ...filter } = asked.filters;
          return exportResponse(await deps.statements.export(visit.caller, filter, Format));
        },
      },
    },
    {
      path: `${STATEMENT}/certificate.jwt`,
      GET: {
        needs: READ,
        async answer(visit) {
          const { Certificate } = await deps.statements.certify(visit.caller, filtersOf(visit));
          return exportResponse({
            type: "application/jwt",
            fileName: "statement.jwt",
            body: new Blob([Certificate]).stream(),
          });
        },
      },
    },
  ];
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
    above: [{ name: "Webhooks", path: CONNECTIONS }],
    status: form ? 400 : 200,
    body: (
      <>
        <Periods visit={visit} />
        <SearchForm visit={visit} filters={FIELDS} problems={form} action="Show" />
        {"Owed" in found && <Statement visit={visit} statement={found} parameters={asked} redeliver={of.redeliver} />}
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
  return (
    <nav class="ranges" aria-label="Time">
      {PERIODS.map(([minutes, label]) => (
        <a href={visit.href(`${visit.url.pathname}?${periodOf(minutes)}`)} safe>
          {label}
        </a>
      ))}
    </nav>
  );
}

interface StatementProps {
  visit: Visit;
  statement: StatementRecord;
  parameters: URLSearchParams;
  redeliver: string | undefined;
}

function Statement({ visit, statement, parameters, redeliver }: StatementProps): JSX.Element {
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
            <ButtonLink href={visit.href(`${redeliver}?${new URLSearchParams({ From: Exhausted.FirstEvent! })}`)}>
              Send them again
            </ButtonLink>
          </div>
        )}
      </div>
      {rows.length > 0 && (
        <Section title={`${inWords(Owed.Count)} by outcome`}>
          <Table caption="Deliveries by outcome" columns={columns(visit, statement)} rows={rows} />
        </Section>
      )}
      {ConnectionId === null && Connections.length > 0 && (
        <Section title="By connection">
          <Table caption="Deliveries by connection" columns={connectionColumns(visit)} rows={Connections} />
        </Section>
      )}
      <Section title="As proof">
        <p>
          Counted in one snapshot at <Time at={new Date(AsOf)} />, without pings and tests. The file has each delivery
          with its outcome. The signed statement is a JWT that anyone can verify with the key set.
        </p>
        <div class="buttons">
          <Exports visit={visit} path={`${STATEMENT}/export`} parameters={parameters} />
          <ButtonLink href={visit.href(`${STATEMENT}/certificate.jwt?${parameters}`)}>Signed statement</ButtonLink>
        </div>
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
          <Time at={new Date(from)} />
          {from === to ? (
            ""
          ) : (
            <>
              <br />
              <Time at={new Date(to)} />
            </>
          )}
        </>
      );
    },
  });
  return [
    { name: "Outcome", cell: (stated) => <Text text={WORDS[stated]} /> },
    { name: "Events", cell: (stated) => <Count visit={visit} statement={statement} stated={stated} />, numeric: true },
    span("First and last event", "FirstEvent", "LastEvent"),
    span("First and last outcome", "FirstReached", "LastReached"),
  ];
}

/** Links to those that have not arrived, in the activity log. */
function Count({
  visit,
  statement,
  stated,
}: {
  visit: Visit;
  statement: StatementRecord;
  stated: Stated;
}): JSX.Element {
  const text = statement[stated].Count.toLocaleString("en");
  if (!MISSING.some((one) => one === stated)) return <Text text={text} />;
  const { From, To, ConnectionId } = statement;
  const filter = { State: stated, From, To, ...(ConnectionId && { ConnectionId }) };
  return (
    <a href={visit.href(`/settings/activity?${new URLSearchParams(filter)}`)} safe>
      {text}
    </a>
  );
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
        <a
          href={visit.href(`${CONNECTIONS}/${ConnectionId}/statement?${new URLSearchParams(visit.url.searchParams)}`)}
          safe
        >
          {ConnectionName || ConnectionId}
        </a>
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
